import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import type { Readable } from 'node:stream'
import Docker from 'dockerode'

const how =
  'Install one (Debian: apt-get install docker.io iptables, then start dockerd), build the images with ' +
  'scripts/build-images.sh, and run npm test again'
const firstAgent = 20001
const images = ['muster/crew:local', 'muster/sidecar:local']

const answers = (...question: string[]): boolean => {
  try {
    execFileSync('docker', question, { stdio: 'pipe', timeout: 10_000 })
    return true
  } catch {
    return false
  }
}

/**
 * Why there can be no containers here, for `leaveOut` and `skipIf`; false when an engine answers that has our images.
 */
export const engineMissing: string | false = (() => {
  if (!answers('version', '--format', '{{.Server.Version}}'))
    return `no Docker engine answers. ${how}; .ci/run does all of it`
  if (!answers('image', 'inspect', ...images))
    return `the Docker engine lacks ${images.join(' or ')}. Build them with scripts/build-images.sh`
  return false
})()

export const engine = new Docker()

/**
 * Address of this machine on the engine's default network, where containers reach it and nobody outside does. Null when
 * the engine is elsewhere.
 */
export async function bridgeAddress(): Promise<string | null> {
  if (engineMissing) return null
  const network = await engine.getNetwork('bridge').inspect()
  const [{ Gateway = '', Subnet = '' } = {}] = network.IPAM?.Config ?? []
  const address = Gateway || Subnet.replace(/\.\d+\/\d+$/, '.1')
  const server = createServer().listen(0, address)
  const here = await Promise.race([
    once(server, 'listening').then(() => true),
    once(server, 'error').then(() => false),
  ]).catch(() => false)
  server.close()
  return here ? address : null
}

/** Removes whatever carries an installation's label. */
export async function removeInstallation(installation: string): Promise<void> {
  const mine = filterOf(installation)
  for (const { Id } of await engine.listContainers({ all: true, ...mine }))
    await engine.getContainer(Id).remove({ force: true, v: true })
  for (const { Id } of await engine.listNetworks(mine)) await engine.getNetwork(Id).remove()
  for (const { Name } of (await engine.listVolumes(mine)).Volumes ?? []) await engine.getVolume(Name).remove()
  for (const { Id } of await engine.listImages(mine)) await engine.getImage(Id).remove({ force: true })
}

const filterOf = (installation: string) => ({ filters: { label: [`svc.installation=${installation}`] } })

/** Names of what an installation has on the engine, its images apart. */
export async function belongings(installation: string): Promise<string[]> {
  const mine = filterOf(installation)
  const [containers, networks, { Volumes }] = await Promise.all([
    engine.listContainers({ all: true, ...mine }),
    engine.listNetworks(mine),
    engine.listVolumes(mine),
  ])
  return [
    ...containers.flatMap((it) => it.Names),
    ...networks.map((it) => it.Name),
    ...(Volumes ?? []).map((it) => it.Name),
  ].sort()
}

export interface EngineEvent {
  Type: string
  Action: string
  Actor: { ID: string; Attributes: Record<string, string> }
}

/** Calls with every event of the engine from now on, until `close`. */
export async function onEngineEvent(heard: (event: EngineEvent) => void): Promise<{ close(): void }> {
  const events = (await engine.getEvents()) as unknown as Readable
  let rest = ''
  events.on('error', () => {})
  events.on('data', (chunk) => {
    const lines = (rest + chunk).split('\n')
    rest = lines.pop()!
    for (const line of lines) if (line) heard(JSON.parse(line))
  })
  return { close: () => void events.destroy() }
}

/** Resolves once `settled` holds, which is asked now and after everything that happens on the engine. */
export async function untilEngine(settled: () => Promise<boolean>): Promise<void> {
  let asked = 0
  let looking = false
  let done = () => {}
  const holds = new Promise<void>((resolve) => {
    done = resolve
  })
  const look = async () => {
    asked++
    if (looking) return
    looking = true
    for (let seen = 0; seen < asked; ) {
      seen = asked
      if (await settled()) return done()
    }
    looking = false
  }
  const events = await onEngineEvent(() => void look())
  void look()
  await holds
  events.close()
}

/** A crew's container, or its sidecar. */
export async function containerOf(crewId: string, kind: 'crew' | 'sidecar' = 'crew'): Promise<Docker.Container> {
  const [found] = await engine.listContainers({
    all: true,
    filters: { label: [`svc.crew-id=${crewId}`, `svc.kind=${kind}`] },
  })
  if (!found) throw new Error(`There is no ${kind} container of ${crewId}`)
  return engine.getContainer(found.Id)
}

/**
 * Command lines of what agents (or the one with this uid) run in a container, apart from what the daemon does in their
 * name after runs: it tidies up, and looks for files.
 */
export async function agentProcesses(container: Docker.Container, of?: number): Promise<string[]> {
  const { Processes } = (await container.top({ ps_args: '-eo uid,pid,args' })) as { Processes: string[][] }
  const all = Processes.filter(([uid]) => (of ? Number(uid) === of : Number(uid) >= firstAgent)).map(
    ([, , args]) => args!,
  )
  // What is about to be gone has no arguments any more.
  const tidying = /^(\[|runc init|rm -rf -- \/spool\/|sh -c chmod -R u\+rwx -- )/
  const looking = /^(timeout -k \d+ \d+ )?node -e .*"op":"changed"/s
  return all.filter((args) => !tidying.test(args) && !looking.test(args))
}
