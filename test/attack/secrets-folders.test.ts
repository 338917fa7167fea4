import { dirname } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { run } from '../../daemon/runtime/docker/exec.ts'
import type { AgentSpec, RunSpec } from '../../daemon/runtime/types.ts'
import { ada, bob, followed, newId, quiet, runSpec, type Seen } from '../daemon/runtime/runtime-contract.ts'
import { engine, engineMissing } from '../support/engine.ts'
import { type EngineCrew, type EngineCrews, engineCrews } from '../support/engine-crews.ts'
import { leaveOut } from '../support/leave-out.ts'

leaveOut(engineMissing)

// Agents against each other's secrets: Ada and Bob are there when the container is made, Cyd, Dan and Eve join later.

const cyd: AgentSpec = { agentId: 'agent-cyd', slug: 'cyd', uid: 20003 }
const dan: AgentSpec = { agentId: 'agent-dan', slug: 'dan', uid: 20004 }
const eve: AgentSpec = { agentId: 'agent-eve', slug: 'eve', uid: 20005 }
const value = newId('secret-value')

let crews: EngineCrews
let crew: EngineCrew
let changed = () => {}

/** A run that was given a secret. */
function given(agent: AgentSpec, sh: string): RunSpec {
  const path = `${crews.runtime.places(crew.spec.crewId, agent).secrets}/KEY`
  return runSpec(crew.spec.crewId, { agent, sh, files: [{ path, content: `${value} of ${agent.slug}`, mode: 0o400 }] })
}

async function outcome(agent: AgentSpec, sh: string): Promise<Seen> {
  const spec = given(agent, sh)
  await crews.runtime.startRun(spec)
  return followed(crews.runtime, spec)
}

/** Whether an agent finds its secret, without the value in its output: that would be on the disk. */
const finds = async (agent: AgentSpec) =>
  (await outcome(agent, `grep -c ' of ${agent.slug}$' "$SVC_SECRETS_DIR/KEY"`)).output === '1\n'

const asAgent = ({ uid }: AgentSpec, ...argv: string[]) => run(crew.crew, { user: `${uid}:1001`, argv })

/** Takes all bytes and all names that there are, and says so. */
const fill = `cd "$SVC_SECRETS_DIR"; dd if=/dev/zero of=fill bs=1M 2>/dev/null; seq 1 5000 | xargs touch 2>/dev/null
echo more 2>/dev/null >>fill || echo no bytes; touch more 2>/dev/null || echo no names`
const filled = 'no bytes\nno names\n'

/** Files with the value, below folders of the engine's machine; `disk` leaves out what is mounted on top. */
async function search(folders: string[], what: 'all' | 'disk'): Promise<string> {
  const container = await engine.createContainer({
    Image: 'muster/sidecar:local',
    User: '0:0',
    Entrypoint: ['grep', '-rlF', value, ...folders.map((_, index) => `/searched/${index}`)],
    Tty: true,
    Labels: { 'svc.installation': crews.installation },
    HostConfig: {
      NetworkMode: 'none',
      Mounts: folders.map((Source, index) => ({
        Type: 'bind' as const,
        Source,
        Target: `/searched/${index}`,
        ReadOnly: true,
        BindOptions: { Propagation: 'rslave' as const, NonRecursive: what === 'disk' },
      })),
    },
  })
  await container.start()
  await container.wait()
  const found = await container.logs({ stdout: true, stderr: true, follow: false })
  await container.remove()
  return found.toString().trim()
}

beforeAll(async () => {
  if (engineMissing) return
  crews = await engineCrews('muster-vaults')
  crews.runtime.onChange(() => changed())
  crew = await crews.open({ slug: 'vaults' })
})
afterAll(async () => {
  if (engineMissing) return
  await crews.close()
})

describe.skipIf(engineMissing)('an agent', () => {
  it.each([
    ['one like it', ada, bob],
    ['one that joined later', ada, cyd],
    ['one that was there before', dan, bob],
    ['another that joined later', dan, cyd],
  ])('neither gets at the secrets of %s nor into their way', async (_, attacker, victim) => {
    const theirs = `/secrets/${victim.slug}`
    const attacks = [
      ...['mkdir -m 777', 'ln -s /tmp', 'touch', 'cp own/KEY', 'ln own/KEY', 'mv own', `mv ${theirs}`].map(
        (it) => `${it} /secrets/new`,
      ),
      ...['ls', 'rmdir', 'rm -rf', 'chmod 777', 'mkdir', 'umount', 'unshare -Urm umount', 'mount -t tmpfs none'].map(
        (it) => `${it} ${theirs}`,
      ),
      ...['ls', 'chmod 777', 'umount', 'mount -t tmpfs none'].map((it) => `${it} /secrets`),
      ...['cat', 'touch', 'rm -f', 'chmod 666'].map((it) => `${it} ${theirs}/KEY`),
      ...[
        `ln ${theirs}/KEY /tmp/new`,
        `mv ${theirs} /tmp/new`,
        `ls /proc/1/root${theirs}`,
        `ls /proc/self/root${theirs}`,
      ],
    ]
    expect(await finds(victim)).toBe(true)
    const tried = attacks.map((it) => `try ${it.replaceAll('own', '"$SVC_SECRETS_DIR"')}`).join('\n')
    const { output } = await outcome(
      attacker,
      `try() { "$@" >/dev/null 2>&1 && echo "did $*"; }\n${tried}\ntry mkdir "$SVC_SECRETS_DIR/mine"`,
    )
    expect(output).toBe(`did mkdir /secrets/${attacker.slug}/mine\n`)
    expect((await asAgent(victim, 'ls', '-A', theirs)).stdout).toBe('KEY\n')
    expect(await finds(victim)).toBe(true)
  })

  it('that fills its folder keeps nobody from secrets, itself included', async () => {
    expect((await outcome(ada, fill)).output).toBe(filled)
    for (const mate of [bob, cyd, dan, ada]) expect(await finds(mate), mate.slug).toBe(true)
  })

  it(
    'that joined later and fills its folder is in the way of others who ' + 'did, until the crew starts again',
    async () => {
      expect((await outcome(dan, fill)).output).toBe(filled)
      for (const mate of [ada, bob]) expect(await finds(mate), mate.slug).toBe(true)
      await expect(crews.runtime.startRun(given(eve, ':'))).rejects.toThrow('no space left')
      await crews.runtime.stop(crew.spec.crewId)
      await crews.runtime.ensure({ ...crew.spec, agents: [ada, bob, cyd, dan, eve] }, quiet)
      expect((await outcome(dan, fill)).output).toBe(filled)
      for (const mate of [cyd, eve, ada, bob, dan]) expect(await finds(mate), mate.slug).toBe(true)
    },
  )
})

describe.skipIf(engineMissing)('secrets', () => {
  beforeAll(async () => {
    // Made anew, with Ada and Bob alone.
    await crews.runtime.remove(crew.spec.crewId, { data: true })
    crew = await crews.open(crew.spec)
    for (const agent of [ada, eve]) expect(await finds(agent)).toBe(true)
  })

  it('are in memory and nowhere on the disk of the engine', async () => {
    const { Id, GraphDriver, Mounts } = await crew.crew.inspect()
    const sources = Mounts.filter(({ Type }) => Type === 'volume').map(({ Source }) => dirname(Source))
    const secrets = dirname(Mounts.find(({ Destination }) => Destination === '/secrets')!.Source)
    const { DockerRootDir } = await engine.info()
    const { UpperDir } = GraphDriver.Data as unknown as { UpperDir: string }
    expect(sources).toHaveLength(5)
    expect(await search([secrets], 'all')).toBe('/searched/0/_data/eve/KEY')
    expect(await search([...sources, UpperDir, `${DockerRootDir}/containers/${Id}`], 'disk')).toBe('')
  })

  it('are gone when the container has stopped, and come with the next run', async () => {
    const change = new Promise<void>((resolve) => {
      changed = resolve
    })
    await crew.crew.stop({ t: 1 })
    const { Mounts } = await crew.crew.inspect()
    expect(
      await search(
        Mounts.filter(({ Type }) => Type === 'volume').map(({ Source }) => dirname(Source)),
        'all',
      ),
    ).toBe('')
    await crew.crew.start()
    expect(await asAgent(ada, 'ls', '-A', '/secrets/ada')).toEqual({ code: 0, stdout: '', stderr: '' })
    expect(await asAgent(eve, 'ls', '-d', '/secrets/eve')).toMatchObject({ code: 2 })
    await change
    for (const agent of [ada, eve]) expect(await finds(agent)).toBe(true)
  })

  it.each([
    ['was there before', ada],
    ['joined later', eve],
  ])('are taken from an agent that %s whenever it leaves', async (_, agent) => {
    for (const _time of ['first', 'second']) {
      expect(await finds(agent)).toBe(true)
      await crews.runtime.clear(crew.spec.crewId, agent, { data: false })
      expect((await asAgent(agent, 'cat', `/secrets/${agent.slug}/KEY`)).code).toBe(1)
    }
  })

  it('have no volume without a container', async () => {
    const names = async () => {
      const { Volumes } = await engine.listVolumes({ filters: { label: [`svc.crew-id=${crew.spec.crewId}`] } })
      return Volumes.map(({ Name }) => Name.split('-').at(-1)).sort()
    }
    expect(await names()).toEqual(['crew', 'output', 'secrets', 'spool', 'workspace'])
    await crews.runtime.remove(crew.spec.crewId, { data: false })
    expect(await names()).toEqual(['crew', 'output', 'spool', 'workspace'])
  })
})
