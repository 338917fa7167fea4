import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { networkInterfaces, tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import Docker from 'dockerode'
import { buildContainerPrograms } from '../../../build/container-programs.mjs'
import { launch, type Ran, run } from '../../../daemon/runtime/docker/exec.ts'
import { DockerRuntime } from '../../../daemon/runtime/docker/runtime.ts'
import type { CrewSpec, SidecarConfig, SidecarReport } from '../../../daemon/runtime/types.ts'
import { crewSpec, newId, quiet } from '../../daemon/runtime/runtime-contract.ts'
import { removeInstallation } from '../../support/engine.ts'

export const docker = new Docker()
const installation = newId('egress')
const Labels = { 'svc.installation': installation }
const images = { crewImage: 'muster/crew:local', sidecarImage: 'muster/sidecar:local' }
const script = (name: string) => readFileSync(new URL(name, import.meta.url), 'utf8')

/** Who may act in a crew's network, as `uid:gid`. */
export const who = {
  ada: '20001:1001',
  bob: '20002:1001',
  watcher: '1002:1002',
  root: '0:0',
  sidecar: '1002:1003',
} as const

export interface Crew {
  spec: CrewSpec
  crew: Docker.Container
  sidecar: Docker.Container
  reports: SidecarReport[]
}

export interface Street {
  runtime: DockerRuntime
  /** Two crews whose sidecars stand on one street, with a peer that answers there and a stranger that only asks. */
  a: Crew
  b: Crew
  peer: { container: Docker.Container; ipv4: string; ipv6: string; metadata: string; heard(): Promise<string> }
  stranger: Docker.Container
  /** Addresses of the machine that the engine runs on. */
  host: string[]
}

/**
 * Builds the street: the engine's own isolation between networks is out of the way there, so that only ours is left.
 */
export async function openStreet(): Promise<Street> {
  const folder = mkdtempSync(join(tmpdir(), 'muster-egress-'))
  const programs = await buildContainerPrograms(folder)
  const runtime = new DockerRuntime({ prefix: 'muster-egress', installation, ...images, programs })
  rmSync(folder, { recursive: true }) // they are in the runtime's memory now
  const [a, b] = [await openCrew(runtime, 'one'), await openCrew(runtime, 'two')]
  const ula = `fd5c:${newId('').slice(0, 4)}:${newId('').slice(0, 4)}`
  const street = await network('street', { EnableIPv6: true, IPAM: { Config: [{ Subnet: `${ula}::/64` }] } })
  const cloud = await network('cloud', { IPAM: { Config: [{ Subnet: '169.254.169.248/29' }] } })
  const peer = await machine(
    'peer',
    street,
    ['python3', '-c', script('peer.py'), '53', '80', '8000'],
    ['permitted-peer', 'forbidden-peer'],
  )
  await cloud.connect({ Container: peer.id, EndpointConfig: { IPAMConfig: { IPv4Address: '169.254.169.254' } } })
  const stranger = await machine('stranger', street, ['sleep', 'infinity'])
  for (const { id } of [a.sidecar, b.sidecar]) await street.connect({ Container: id })
  for (const { id } of [a.sidecar, b.sidecar, stranger]) await cloud.connect({ Container: id })
  const on = (await peer.inspect()).NetworkSettings.Networks[`muster-egress-street-${installation}`]!
  const gateways = Object.values((await a.sidecar.inspect()).NetworkSettings.Networks).flatMap((it) => [
    it.Gateway,
    it.IPv6Gateway,
  ])
  for (const it of [a, b]) await serveInside(it)
  const own = Object.values(networkInterfaces()).flatMap((list) =>
    list!.filter((it) => !it.internal && !it.address.startsWith('fe80')).map((it) => it.address),
  )
  await settled([a.sidecar, b.sidecar, peer, stranger])
  const heard = async () => {
    const { stdout } = await sh(
      peer,
      who.root,
      "awk '/^Icmp: [0-9]/ { print $9 }' /proc/net/snmp; awk '/Icmp6InEchos/ { print $2 }' /proc/net/snmp6",
    )
    return `${await peer.logs({ stdout: true, stderr: true })}${stdout}`
  }
  return {
    runtime,
    a,
    b,
    stranger,
    peer: { container: peer, ipv4: on.IPAddress, ipv6: on.GlobalIPv6Address, metadata: '169.254.169.254', heard },
    host: [...new Set([...gateways, ...own])].filter((it) => it && !it.startsWith('169.254.')),
  }
}

/**
 * Resolves once no IPv6 address is still being tried out: until then the kernel neither sends from it nor answers at
 * it.
 */
async function settled(containers: Docker.Container[]): Promise<void> {
  const tentative = (table: string) =>
    table.split('\n').some((line) => (Number.parseInt(line.trim().split(/\s+/)[4] ?? '0', 16) & 0x40) !== 0)
  const own = () => readFileSync('/proc/net/if_inet6', 'utf8')
  const tables = async () => [
    own(),
    ...(await Promise.all(containers.map(async (it) => (await sh(it, who.root, 'cat /proc/net/if_inet6')).stdout))),
  ]
  while ((await tables()).some(tentative)) await wait(100)
}

async function openCrew(runtime: DockerRuntime, slug: string): Promise<Crew> {
  const spec = crewSpec({ slug })
  const reports: SidecarReport[] = []
  runtime.onSidecarReport((crewId, report) => void (crewId === spec.crewId && reports.push(report)))
  await runtime.ensure(spec, quiet)
  const [crew, sidecar] = ['team', 'sidecar'].map((kind) =>
    docker.getContainer(`muster-egress-${kind}-${slug}-${spec.crewId}`),
  )
  return { spec, crew: crew!, sidecar: docker.getContainer((await sidecar!.inspect()).Id), reports }
}

const network = (name: string, options: object) =>
  docker.createNetwork({
    Name: `muster-egress-${name}-${installation}`,
    CheckDuplicate: true,
    Driver: 'bridge',
    Labels,
    ...options,
  })

async function machine(
  name: string,
  on: Docker.Network,
  Entrypoint: string[],
  Aliases: string[] = [],
): Promise<Docker.Container> {
  const network = (await on.inspect()).Name
  const container = await docker.createContainer({
    name: `muster-egress-${name}-${installation}`,
    Image: images.crewImage,
    User: '0:0',
    Entrypoint,
    Cmd: [],
    Labels,
    HostConfig: { NetworkMode: network, Init: true },
    NetworkingConfig: { EndpointsConfig: { [network]: { Aliases } } },
  })
  await container.start()
  return container
}

/** An agent's own server, on every address of its crew. */
const serveInside = ({ crew }: Crew) =>
  launch(crew, { user: who.bob, argv: ['python3', '-c', script('peer.py'), '8000'] }, 'listening')

/** Takes away all that was built. */
export async function closeStreet(street: Street | undefined): Promise<void> {
  await street?.runtime.close()
  await removeInstallation(installation)
}

/** Makes attempts (`kind host port`) as somebody in a container; what came of each, by attempt. */
export async function attempt(
  container: Docker.Container,
  user: string,
  attempts: string[],
): Promise<Record<string, string>> {
  const { stdout, stderr } = await run(container, { user, argv: ['python3', '-c', script('probe.py'), ...attempts] })
  const lines = stdout.split('\n')
  if (lines.length !== attempts.length + 1) throw new Error(`the probe broke: ${stdout}${stderr}`)
  return Object.fromEntries(attempts.map((it, index) => [it, lines[index]!]))
}

export const sh = (container: Docker.Container, user: string, script: string): Promise<Ran> =>
  run(container, { user, argv: ['sh', '-c', script] })

/** Runs JavaScript in a container with `url` of the sidecar at hand; what it prints. */
export async function node(container: Docker.Container, user: string, code: string): Promise<string> {
  const { stdout, stderr } = await run(container, {
    user,
    argv: ['node', '-e', `const url = 'http://127.0.0.1:9119';${code}`],
  })
  return stdout || stderr
}

export const policy = (
  allowedDomains: string[],
  allowPrivateEndpoints: boolean,
  more: Partial<SidecarConfig> = {},
): SidecarConfig => ({
  network: { mode: 'restricted', allowedDomains, allowPrivateEndpoints },
  agents: {
    'dummy-ada': { agentId: 'agent-ada', slug: 'ada', uid: 20001, credentials: [] },
    'dummy-bob': { agentId: 'agent-bob', slug: 'bob', uid: 20002, credentials: [] },
  },
  upstreams: {},
  ...more,
})
