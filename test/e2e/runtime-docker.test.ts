import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Docker from 'dockerode'
import { build } from 'esbuild'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { buildContainerPrograms } from '../../build/container-programs.mjs'
import { DockerRuntime } from '../../daemon/runtime/docker/runtime.ts'
import {
  ada,
  bob,
  crewSpec,
  followed,
  newId,
  printed,
  quiet,
  runSpec,
  runtimeContract,
  type Wanted,
} from '../daemon/runtime/runtime-contract.ts'
import { engineMissing, removeInstallation } from '../support/engine.ts'
import { leaveOut } from '../support/leave-out.ts'

leaveOut(engineMissing)

let folder: string
const installation = newId('test')
const docker = new Docker()
let programs: string

const options = () => ({
  prefix: 'muster-test',
  installation,
  crewImage: 'muster/crew:local',
  sidecarImage: 'muster/sidecar:local',
  programs,
})
const open = () => new DockerRuntime(options())

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'muster-programs-'))
  programs = await buildContainerPrograms(folder)
})
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true })
  await removeInstallation(installation)
})

describe.skipIf(engineMissing)('docker runtime', () => {
  runtimeContract(async () => ({ open, cleanUp: async () => {} }))
})

describe.skipIf(engineMissing)('crew container', () => {
  const crew = crewSpec({ slug: 'sealed', memoryMb: 640, cpus: 0.5 })
  let runtime: DockerRuntime
  const run = async (sh: string, more: Wanted = {}) => {
    const spec = runSpec(crew.crewId, { sh, ...more })
    await runtime.startRun(spec)
    return followed(runtime, spec)
  }
  const containerOf = async (kind: string) => {
    const label = [`svc.crew-id=${crew.crewId}`, `svc.kind=${kind}`, `svc.installation=${installation}`]
    const [found] = await docker.listContainers({ all: true, filters: { label } })
    return docker.getContainer(found!.Id)
  }

  beforeAll(async () => {
    runtime = open()
    await runtime.ensure(crew, quiet)
  })
  afterAll(async () => {
    await runtime.remove(crew.crewId, { data: true })
    await runtime.close()
  })

  it('is made with every limit', async () => {
    const { Name, Config, HostConfig } = await (await containerOf('crew')).inspect()
    expect(Name).toBe(`/muster-test-team-sealed-${crew.crewId}`)
    expect(Config).toMatchObject({ User: '1002:1002', OpenStdin: true, StdinOnce: false, Tty: false })
    expect(Config.Env).toEqual(expect.arrayContaining(['TZ=UTC', 'LANG=C.UTF-8']))
    expect(Config.Labels).toMatchObject({
      'svc.managed': 'true',
      'svc.kind': 'crew',
      'svc.crew-id': crew.crewId,
      'svc.crew-slug': 'sealed',
      'svc.workspace-id': 'wtest',
      'svc.contract': runtime.contractOf(crew),
      'svc.installation': installation,
    })
    expect(HostConfig).toMatchObject({
      ReadonlyRootfs: true,
      CapDrop: ['ALL'],
      CapAdd: null,
      SecurityOpt: ['no-new-privileges', expect.stringMatching(/^seccomp=\{/)],
      Privileged: false,
      Init: true,
      PidsLimit: 1024,
      Memory: 640 * 1024 * 1024,
      MemorySwap: 640 * 1024 * 1024,
      NanoCpus: 5e8,
      Binds: null,
      RestartPolicy: { Name: 'on-failure', MaximumRetryCount: 3 },
      LogConfig: { Type: 'none' },
    })
    expect(HostConfig.NetworkMode).toBe(`container:${(await containerOf('sidecar')).id}`)
  })

  it('gives a run no power', async () => {
    const { output } = await run(
      'grep -E "^(CapInh|CapPrm|CapEff|CapBnd|CapAmb|NoNewPrivs|Seccomp):" /proc/self/status | tr -d "\\t"; id ' +
        '-u; id -g; ulimit -c; ulimit -n; ulimit -f',
    )
    expect(output.split('\n')).toEqual([
      ...['CapInh', 'CapPrm', 'CapEff', 'CapBnd', 'CapAmb'].map((name) => `${name}:0000000000000000`),
      'NoNewPrivs:1',
      'Seccomp:2',
      '20001',
      '1001',
      '0',
      '8192',
      String((4 * 1024 ** 3) / 512),
      '',
    ])
  })

  it('lets a run write to its own folders and nowhere else', async () => {
    const places = Object.entries(runtime.places(crew.crewId, ada)).filter(([name]) => name !== 'sidecarUrl')
    const own = places.map(([, path]) => path)
    const other = [
      '/',
      '/etc',
      '/usr/local/bin',
      '/opt/muster',
      '/crew',
      '/crew/agents',
      '/workspace',
      '/output',
      '/spool',
      '/root',
      '/var/tmp',
      ...['/crew/agents', '/output', '/workspace', '/spool'].map((it) => `${it}/bob`),
    ]
    const { output } = await run(
      `for it in ${[...own, '/tmp', ...other].join(' ')}; do (: >"$it/probe") 2>/dev/null && echo "$it"; done`,
    )
    expect(output.trim().split('\n')).toEqual([...own, '/tmp'])
  })

  it('keeps agents out of what belongs to another, and lets them share', async () => {
    const secret = `${runtime.places(crew.crewId, bob).secrets}/key`
    const bobs = runSpec(crew.crewId, {
      agent: bob,
      sh:
        'echo private >~/note; echo private >$SVC_OUTPUT_DIR/note; echo shared >/crew/shared/note; echo printed; ' +
        'while [ ! -e /crew/shared/done ]; do sleep 0.1; done',
      files: [{ path: secret, content: 'bobs-key', mode: 0o644 }],
      stdin: 'bobs-prompt',
      env: { BOBS: 'bobs-env' },
    })
    await runtime.startRun(bobs)
    await printed(runtime, bobs, 'printed')
    const probes = [
      '/crew/agents/bob/note',
      '/output/bob/note',
      secret,
      `/spool/bob/${bobs.runId}/out`,
      `/spool/bob/${bobs.runId}/in`,
      '/output/bob',
      '/spool/bob',
    ]
    const { output } = await run(
      `for it in ${probes.join(' ')}; do cat "$it" 2>/dev/null && echo "read $it";
        ls "$it"/* 2>/dev/null && echo "saw $it"; done
       cat /proc/[0-9]*/environ 2>/dev/null | tr '\\0' '\\n' | grep bobs-env
       cat /proc/[0-9]*/cmdline 2>/dev/null | tr '\\0' ' ' | grep -o 'bobs-[kp][a-z]*'
       for it in /proc/[0-9]*; do [ -O "$it" ] || ! kill -s 0 "\${it#/proc/}" 2>/dev/null || echo "may signal $it"; done
       cat /crew/shared/note; touch /crew/shared/done`,
    )
    expect(output).toBe('shared\n')
    expect((await followed(runtime, bobs)).end).toMatchObject({ code: 0 })
  })

  it('lets nobody make the secrets folder of another', async () => {
    const eve = { agentId: 'agent-eve', slug: 'eve', uid: 20007 }
    expect((await run('mkdir -m 777 /secrets/eve')).end).toMatchObject({ code: 1 })
    expect(
      (await run('cat /secrets/eve/key', { agent: eve, files: [{ path: '/secrets/eve/key', content: 'k' }] })).output,
    ).toBe('k')
    expect((await run('cat /secrets/eve/key')).output).toBe('')
  })

  it('does not deliver what a link in the spool leads to', async () => {
    await runtime.startRun(runSpec(crew.crewId, { agent: bob, runId: 'rbobs', sh: 'echo bobs-output' }))
    const spec = runSpec(crew.crewId, { runId: 'rlink' })
    spec.argv = [
      'sh',
      '-c',
      'cd /spool/ada/rlink && rm out && ln -s /spool/bob/rbobs/out out && rm err && ln -s /spool/bob/rbobs/out err',
    ]
    await runtime.startRun(spec)
    await followed(runtime, spec).catch(() => null)
    const { output, stderr } = await followed(runtime, spec)
    expect({ output, stderr }).toEqual({ output: '', stderr: '' })
  })

  it('holds a fork bomb, and goes on working', async () => {
    const spec = runSpec(crew.crewId, { sh: 'bomb() { bomb | bomb & }; bomb 2>/dev/null; sleep 60', timeoutSeconds: 3 })
    await runtime.startRun(spec)
    await followed(runtime, spec)
    await runtime.endRun(spec)
    expect((await run('echo alive')).output).toBe('alive\n')
  })

  it('ends what takes more memory than there is, and nothing else', async () => {
    const [hog, other] = [
      runSpec(crew.crewId, { argv: ['node', '-e', 'const kept = []; for (;;) kept.push(Buffer.alloc(1 << 24, 1))'] }),
      runSpec(crew.crewId, { agent: bob, sh: 'sleep 2; echo fine' }),
    ]
    await Promise.all([hog, other].map((it) => runtime.startRun(it)))
    expect((await followed(runtime, hog)).end).toEqual({ kind: 'signal', signal: 'SIGKILL' })
    expect((await followed(runtime, other)).output).toBe('fine\n')
  })

  it('can be read on after its channel was killed', async () => {
    const spec = runSpec(crew.crewId, { sh: 'echo one; sleep 3; echo two' })
    await runtime.startRun(spec)
    await printed(runtime, spec, 'one\n')
    const channel = await (await containerOf('crew')).exec({
      Cmd: ['sh', '-c', 'kill -9 $(pidof node)'],
      User: '1002:1002',
    })
    const broken = followed(runtime, spec)
    await channel.start({ Detach: true })
    await expect(broken).rejects.toMatchObject({ kind: 'not_running' })
  })

  it('goes on with a run whose daemon was killed, again and again, without gap or double', async () => {
    await runtime.ensure(crew, quiet)
    const program = join(folder, 'dies.mjs')
    await build({
      entryPoints: [new URL('dies-while-following.ts', import.meta.url).pathname],
      outfile: program,
      bundle: true,
      platform: 'node',
      format: 'esm',
      packages: 'external',
      conditions: ['development'],
    })
    symlinkSync(new URL('../../node_modules', import.meta.url).pathname, join(folder, 'node_modules'))
    for (const lines of [1, 40, 400, 1500]) {
      const spec = runSpec(crew.crewId, {
        sh:
          'i=0; while [ $i -lt 2000 ]; do i=$((i+1)); echo "line $i"; [ $((i % 50)) -ne 0 ] || sleep 0.02; done; ' +
          'exit 4',
      })
      const child = spawn(process.execPath, [program, JSON.stringify(options()), JSON.stringify(spec)], {
        stdio: ['ignore', 'pipe', 'inherit'],
      })
      const offset = await new Promise<number>((resolve) => {
        let last = 0
        child.stdout.on('data', (chunk) => {
          last = Number(String(chunk).trim().split('\n').at(-1))
          if (last >= lines * 7) child.kill('SIGKILL')
        })
        child.on('close', () => resolve(last))
      })
      const whole = Array.from({ length: 2000 }, (_, index) => `line ${index + 1}\n`).join('')
      const { output, end } = await followed(runtime, spec, offset)
      expect(output, `killed after ${offset} bytes`).toBe(whole.slice(offset))
      expect(end).toEqual({ kind: 'exit', code: 4, timedOut: false })
    }
  })

  it('is made whole again when its sidecar is gone', async () => {
    await runtime.ensure(crew, quiet)
    await run('echo kept >kept')
    await (await containerOf('sidecar')).remove({ force: true })
    expect(await runtime.observe()).toMatchObject([{ crewId: crew.crewId, healthy: false }])
    await runtime.ensure(crew, quiet)
    expect(await runtime.observe()).toMatchObject([{ crewId: crew.crewId, state: 'running', healthy: true }])
    expect((await run('cat kept')).output).toBe('kept\n')
  })

  it('tells when it goes away, and a run in it then reads as lost with all its output', async () => {
    const changes: string[] = []
    let told = () => {}
    const change = new Promise<void>((resolve) => {
      told = resolve
    })
    const spec = runSpec(crew.crewId, { sh: 'echo before; sleep 60' })
    await runtime.startRun(spec)
    await printed(runtime, spec, 'before\n')
    runtime.onChange((crewId) => {
      changes.push(crewId)
      told()
    })
    await docker.getContainer((await containerOf('crew')).id).remove({ force: true })
    await change
    expect(new Set(changes)).toEqual(new Set([crew.crewId]))
    expect((await followed(runtime, spec)).end).toEqual({ kind: 'lost', reason: "the crew's container is gone" })
    await runtime.ensure(crew, quiet)
    const { output, end } = await followed(runtime, spec)
    expect(output).toBe('before\n')
    expect(end.kind).toBe('lost')
  })

  it('leaves nothing behind when it is removed', async () => {
    await runtime.remove(crew.crewId, { data: false })
    const left = { filters: { label: [`svc.crew-id=${crew.crewId}`] } }
    expect(await runtime.observe()).toEqual([])
    expect((await docker.listVolumes(left)).Volumes.length).toBe(4)
    await runtime.remove(crew.crewId, { data: true })
    expect((await docker.listVolumes(left)).Volumes ?? []).toEqual([])
    expect(await docker.listNetworks(left)).toEqual([])
  })
})

describe.skipIf(engineMissing)('a half-made crew', () => {
  it('is observed, so that it can be reaped', async () => {
    const runtime = open()
    const crewId = newId('c')
    await docker.createNetwork({
      Name: `muster-test-${crewId}`,
      Labels: { 'svc.installation': installation, 'svc.crew-id': crewId },
    })
    expect(await runtime.observe()).toEqual([expect.objectContaining({ crewId, state: 'error', healthy: false })])
    await runtime.remove(crewId, { data: true })
    expect(await runtime.observe()).toEqual([])
    await runtime.close()
  })

  it('says how to get an image that is not there', async () => {
    const runtime = open()
    const crew = crewSpec({ image: 'muster/none:local' })
    await expect(runtime.ensure(crew, quiet)).rejects.toMatchObject({
      kind: 'image',
      message: expect.stringContaining('scripts/build-images.sh'),
    })
    await runtime.remove(crew.crewId, { data: true })
    await runtime.close()
  })
})
