import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { buildContainerPrograms } from '../../build/container-programs.mjs'
import { run } from '../../daemon/runtime/docker/exec.ts'
import { DockerRuntime } from '../../daemon/runtime/docker/runtime.ts'
import type { AgentSpec, RunSpec } from '../../daemon/runtime/types.ts'
import {
  ada,
  bob,
  crewSpec,
  followed,
  newId,
  printed,
  quiet,
  runSpec,
  type Wanted,
} from '../daemon/runtime/runtime-contract.ts'
import { containerOf, engineMissing, removeInstallation } from '../support/engine.ts'
import { leaveOut } from '../support/leave-out.ts'

leaveOut(engineMissing)

// An agent that wants to outlive the end of its run, against the runtime that ends it.

/** Leaves the run's session, group, ancestry and environment, and then does this. */
const fleeing = (perl: string) => `env -i PATH="$PATH" setsid -f perl -MPOSIX -e '
exit if fork; setsid; exit if fork;
sub up { open my $file, ">", "up" }
${perl}
sleep 9999' </dev/null >/dev/null 2>&1`

/** What a process does to stay, each in a way of its own; the file `up` says that it is in place. */
const hostile: Record<string, string> = {
  'has left session, group, parents and environment': fleeing('up;'),
  'bears another name': fleeing('$0 = "node /opt/muster/channel.cjs"; my $name = "node"; syscall(157, 15, $name); up;'),
  'refuses to be looked into': fleeing('syscall(157, 4, 0, 0, 0, 0); up;'),
  'ignores and blocks every signal': fleeing(
    '$SIG{$_} = "IGNORE" for qw(HUP INT QUIT PIPE TERM); my $all = POSIX::SigSet->new; $all->fillset; ' +
      'sigprocmask(SIG_BLOCK, $all); up;',
  ),
  'is stopped': fleeing('up; kill STOP => $$;'),
  'looks like a zombie': fleeing('use threads; threads->create(sub { up; sleep 9999 }); syscall(60, 0);'),
  'kills whatever else there is of its user': fleeing('up; while (1) { kill KILL => -1 }'),
  'stops whatever else there is of its user': fleeing('up; while (1) { kill STOP => -1 }'),
  'forks without end': fleeing('up; while (1) { my $child = fork; if (defined $child && !$child) { setsid } }'),
  'has taken all processes that there are': fleeing(
    'while (1) { my $child = fork; last unless defined $child; if (!$child) { sleep 9999; exit } } up;',
  ),
}

let folder: string
const installation = newId('test')
const crew = crewSpec({ slug: 'stays', cpus: 0.5 })
const open: Record<string, string[]> = {}
let runtime: DockerRuntime

const start = async (wanted: Wanted): Promise<RunSpec> => {
  const spec = runSpec(crew.crewId, wanted)
  await runtime.startRun(spec)
  return spec
}

/** Command lines of an agent's processes, as the machine below sees them. */
async function processesOf({ uid }: AgentSpec): Promise<string[]> {
  const { Processes } = (await (await containerOf(crew.crewId)).top({ ps_args: '-eo uid,pid,args' })) as {
    Processes: string[][]
  }
  return Processes.filter(([owner]) => Number(owner) === uid).map(([, , args]) => args!)
}

/**
 * Looks from the machine below until it is there, and those who multiply are as many as the crew may have: the crew
 * itself has no time then.
 */
async function inPlace(what: string): Promise<void> {
  const container = await containerOf(crew.crewId)
  const up = () =>
    container.infoArchive({ path: '/output/ada/up' }).then(
      () => true,
      () => false,
    )
  const many = /^(forks|has taken)/.test(what) ? 900 : 1
  const fled = (args: string) => /perl|channel[.]cjs/.test(args) && !/env -i/.test(args)
  while (!(await up()) || (await processesOf(ada)).filter(fled).length < many) await containerOf(crew.crewId)
}

beforeAll(async () => {
  if (engineMissing) return
  folder = mkdtempSync(join(tmpdir(), 'muster-programs-'))
  const programs = await buildContainerPrograms(folder)
  runtime = new DockerRuntime({
    // Those who keep their run from an orderly end do so however long it may take.
    endMs: 3_000,
    prefix: 'muster-stays',
    installation,
    crewImage: 'muster/crew:local',
    sidecarImage: 'muster/sidecar:local',
    programs,
  })
  runtime.onOpenRuns((agentId) => open[agentId] ?? [])
  await runtime.ensure(crew, quiet)
})
afterEach(() => {
  for (const agentId of Object.keys(open)) delete open[agentId]
})
afterAll(async () => {
  if (engineMissing) return
  await runtime.remove(crew.crewId, { data: true })
  await runtime.close()
  rmSync(folder, { recursive: true, force: true })
  await removeInstallation(installation)
})

describe.skipIf(engineMissing)('an agent that', () => {
  for (const [what, sh] of Object.entries(hostile)) {
    it(`${what} ends with its run, and a crew-mate does not`, async () => {
      // It needs no further process once it is up: there may be none to have then.
      const mate = await start({ agent: bob, sh: 'sleep 300 & echo up; wait' })
      await printed(runtime, mate, 'up')
      const spec = await start({ sh: `rm -f up; ${sh}; sleep 300` })
      await inPlace(what)
      await runtime.endRun(spec)
      expect(await processesOf(ada)).toEqual([])
      expect((await processesOf(bob)).some((it) => it.includes('sleep 300'))).toBe(true)
      await runtime.endRun(mate)
      expect(await processesOf(bob)).toEqual([])
      await start({ sh: 'rm -f up' }).then((it) => followed(runtime, it))
    })
  }
})

describe.skipIf(engineMissing)('the end of a run', () => {
  const escaped = hostile['has left session, group, parents and environment']!

  it('spares the other open run of the same agent', async () => {
    const other = await start({ sh: 'rm -f go; echo up; until [ -e go ]; do sleep 0.1; done; echo survived' })
    await printed(runtime, other, 'up')
    const spec = await start({ sh: `rm -f up; ${escaped}; until [ -e up ]; do sleep 0.1; done; echo ready; sleep 300` })
    await printed(runtime, spec, 'ready')
    open['agent-ada'] = [other.runId, spec.runId]
    await runtime.endRun(spec)
    expect((await processesOf(ada)).filter((it) => it.includes('perl'))).toEqual([])
    const touch = await start({ sh: 'touch go' })
    open['agent-ada'] = [other.runId]
    expect((await followed(runtime, other)).output).toBe('up\nsurvived\n')
    await runtime.endLeft(crew.crewId, ada, other.runId)
    expect(await processesOf(ada)).toEqual([])
    expect((await followed(runtime, touch)).end).toMatchObject({ code: 0 })
  })

  it('takes along what a program left that came to its own end', async () => {
    const spec = await start({ sh: `rm -f up; ${escaped}; until [ -e up ]; do sleep 0.1; done` })
    expect((await followed(runtime, spec)).end).toMatchObject({ code: 0 })
    expect((await processesOf(ada)).length).toBe(1)
    await runtime.endLeft(crew.crewId, ada, spec.runId)
    expect(await processesOf(ada)).toEqual([])
  })
})

describe.skipIf(engineMissing)('an agent that is deleted', () => {
  const config = (agents: AgentSpec[]) => ({
    network: { ...crew.network, mode: 'free' as const },
    agents: Object.fromEntries(agents.map((it) => [`key-${it.slug}`, { ...it, credentials: [] }])),
    upstreams: {},
  })
  const ask = (it: AgentSpec) =>
    start({
      agent: it,
      argv: [
        'node',
        '-e',
        "require('net').connect(9119,'127.0.0.1').on('data',d=>console.log(String(d))).write('CONNECT " +
          "nowhere.invalid:443 HTTP/1.1\\r\\n\\r\\n')",
      ],
      timeoutSeconds: 20,
    })

  it('leaves no process, no secret and no folder, and its uid is let nowhere', async () => {
    await runtime.configureSidecar(crew.crewId, config([ada, bob]))
    expect((await followed(runtime, await ask(ada))).output).not.toContain('no agent of this crew')
    const file = { path: `${runtime.places(crew.crewId, ada).secrets}/KEY`, content: 'k' }
    const sh =
      `rm -f up; ${hostile['refuses to be looked into']}; mkdir -p deep/er && touch deep/er/file && chmod 0 ` +
      'deep/er; sleep 300'
    await start({ sh, files: [file] })
    await inPlace('refuses')
    // As a daemon that is killed in between and begins again.
    for (const data of [false, true, true]) await runtime.clear(crew.crewId, ada, { data })
    await runtime.configureSidecar(crew.crewId, config([bob]))
    expect(await processesOf(ada)).toEqual([])
    const left = await start({
      agent: bob,
      sh: 'ls -d /spool/ada /output/ada /workspace/ada /crew/agents/ada 2>/dev/null; true',
    })
    expect((await followed(runtime, left)).output).toBe('')
    const secrets = await run(await containerOf(crew.crewId), {
      user: `${ada.uid}:1001`,
      argv: ['ls', '-A', runtime.places(crew.crewId, ada).secrets],
    })
    expect(secrets).toEqual({ code: 0, stdout: '', stderr: '' })
    // Its folders come back with a run that no daemon would start, for a process with its uid.
    expect((await followed(runtime, await ask({ ...ada, slug: 'ghost' }))).output).toContain(
      'who asks is no agent of this crew',
    )
  })
})

describe.skipIf(engineMissing)('a crew', () => {
  it('says of a run why it was lost when the sidecar is killed', async () => {
    const spec = await start({ agent: bob, sh: 'echo up; sleep 300' })
    const broken = followed(runtime, spec).catch(() => null)
    await (await containerOf(crew.crewId, 'sidecar')).kill()
    await runtime.ensure(crew, quiet)
    await broken
    const { end } = await followed(runtime, spec)
    expect(end).toEqual({
      kind: 'lost',
      reason: "the crew's sidecar was killed while the agent worked; Muster restarted it",
    })
  })

  it('stops although an agent stops the commands that the engine starts as this agent', async () => {
    const mate = await start({ agent: bob, sh: 'echo up; sleep 300' })
    await printed(runtime, mate, 'up')
    await start({ sh: `rm -f up; ${hostile['stops whatever else there is of its user']}; sleep 300` })
    await inPlace('stops')
    const hung = runtime.startRun(runSpec(crew.crewId)).catch(() => null)
    await runtime.stop(crew.crewId)
    expect(await runtime.observe(crew.crewId)).toMatchObject([{ state: 'stopped' }])
    await hung
  })
})
