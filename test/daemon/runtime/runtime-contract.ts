import { randomBytes } from 'node:crypto'
import { Readable } from 'node:stream'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { AgentSpec, CrewSpec, FileEntry, RunEnd, RunRef, RunSpec, Runtime } from '../../../daemon/runtime/types.ts'
import { filesContract } from './files-contract.ts'
import { portsContract } from './ports-contract.ts'

export const ada: AgentSpec = { agentId: 'agent-ada', slug: 'ada', uid: 20001 }
export const bob: AgentSpec = { agentId: 'agent-bob', slug: 'bob', uid: 20002 }
export const quiet = { step() {} }

export const newId = (prefix: string) => `${prefix}${randomBytes(8).toString('hex')}`

export const crewSpec = (more: Partial<CrewSpec> = {}): CrewSpec => ({
  crewId: newId('c'),
  slug: 'works',
  workspaceId: 'wtest',
  image: '',
  memoryMb: 512,
  cpus: 1,
  network: { mode: 'restricted', allowedDomains: [], allowPrivateEndpoints: false },
  agents: [ada, bob],
  ...more,
})

export type Wanted = Partial<RunSpec> & { sh?: string }

export const runSpec = (crewId: string, { sh = ':', ...more }: Wanted = {}): RunSpec => ({
  runId: newId('r'),
  crewId,
  agent: ada,
  argv: ['sh', '-c', sh],
  env: {},
  files: [],
  stdin: '',
  timeoutSeconds: 60,
  ...more,
})

export interface Seen {
  output: string
  offsets: number[]
  end: RunEnd
  stderr: string
}

/** Follows a run to its end. `until` stops at the first chunk that completes it, as a daemon that dies does. */
export function followed(runtime: Runtime, ref: RunRef, offset = 0): Promise<Seen> {
  const seen = { output: '', offsets: [] as number[] }
  return new Promise((resolve, reject) => {
    runtime.follow(ref, offset, {
      data(chunk, at) {
        expect(at).toBe(offset + seen.output.length)
        seen.output += chunk.toString('latin1')
        seen.offsets.push(at)
      },
      end: (end, stderr) => resolve({ ...seen, end, stderr }),
      broken: reject,
    })
  })
}

/** Follows until `text` has been printed; resolves with all that came so far. */
export function printed(runtime: Runtime, ref: RunRef, text: string): Promise<string> {
  let output = ''
  return new Promise((resolve, reject) => {
    const follow = runtime.follow(ref, 0, {
      data(chunk) {
        output += chunk
        if (!output.includes(text)) return
        follow.close()
        resolve(output)
      },
      end: (end) => reject(new Error(`ended (${JSON.stringify(end)}) after ${JSON.stringify(output)}`)),
      broken: reject,
    })
  })
}

const names = (entries: FileEntry[]) => entries.map(({ path, is_dir }) => (is_dir ? `${path}/` : path))

export interface Subject {
  /** A runtime over the same engine and folders: what a daemon that starts again has. */
  open(): Runtime
  cleanUp(): Promise<void>
}

/** What every runtime promises, whatever runs the processes. */
export function runtimeContract(make: () => Promise<Subject>): void {
  let subject: Subject
  let runtime: Runtime
  const crew = crewSpec()
  const run = async (wanted: Wanted = {}): Promise<Seen> => {
    const spec = runSpec(crew.crewId, wanted)
    await runtime.startRun(spec)
    return followed(runtime, spec)
  }

  beforeAll(async () => {
    subject = await make()
    runtime = subject.open()
    await runtime.ensure(crew, quiet)
  })
  afterAll(async () => {
    await runtime?.remove(crew.crewId, { data: true })
    await runtime?.close()
    await subject?.cleanUp()
  })

  describe('crews', () => {
    it('answers that it is there', async () => expect(await runtime.ping()).toMatchObject({ ok: true }))

    it('are observed as they are', async () => {
      expect((await runtime.observe()).filter((it) => it.crewId === crew.crewId)).toEqual([
        {
          crewId: crew.crewId,
          workspaceId: 'wtest',
          state: 'running',
          containerId: expect.stringMatching(/./),
          contract: runtime.contractOf(crew),
          startedAt: expect.stringMatching(/^\d{4}-/),
          healthy: true,
          made: runtime.kind === 'docker' ? { memoryMb: 512, cpus: 1, image: '' } : null,
        },
      ])
      expect(await runtime.observe(crew.crewId)).toEqual(await runtime.observe())
      expect(await runtime.observe('cnowhere')).toEqual([])
    })

    it('stay as they are when they are asked for again', async () => {
      const before = await runtime.observe()
      await runtime.ensure(crew, quiet)
      expect(await runtime.observe()).toEqual(before)
    })

    it('live beside each other, and one goes without the others', async () => {
      const others = [crewSpec({ slug: 'one' }), crewSpec({ slug: 'two' })]
      await Promise.all(others.map((it) => runtime.ensure(it, quiet)))
      const specs = [crew, ...others].map((it) => runSpec(it.crewId, { sh: 'echo kept >file; ls', stdin: it.crewId }))
      await Promise.all(specs.map((it) => runtime.startRun(it)))
      expect((await Promise.all(specs.map((it) => followed(runtime, it)))).map((it) => it.output)).toEqual([
        'file\n',
        'file\n',
        'file\n',
      ])
      await Promise.all(others.map((it) => runtime.remove(it.crewId, { data: true })))
      expect((await runtime.observe()).map((it) => it.crewId)).toEqual([crew.crewId])
      expect((await runtime.readFile(crew.crewId, ada, 'file'))?.toString()).toBe('kept\n')
    })

    it('take an agent that joins later', async () => {
      const eve = { agentId: 'agent-eve', slug: 'eve', uid: 20003 }
      expect((await run({ agent: eve, sh: 'pwd' })).output).toBe(`${runtime.places(crew.crewId, eve).output}\n`)
    })

    it('say nothing of a crew that never was', async () => {
      await runtime.remove('cnowhere', { data: true })
      await runtime.stop('cnowhere')
      expect(await runtime.listFiles('cnowhere', ada, '', true)).toEqual([])
      expect(await runtime.readFile('cnowhere', ada, 'x')).toBe(null)
      await expect(runtime.startRun(runSpec('cnowhere'))).rejects.toMatchObject({ kind: 'not_running' })
    })
  })

  describe('runs', () => {
    it('get arguments, environment, files, standard input and places', async () => {
      const places = runtime.places(crew.crewId, ada)
      const { output, end, stderr } = await run({
        argv: [
          'sh',
          '-c',
          `cat; cat "$1"; printf '%s|' "$2" "$EXTRA" "$HOME" "$PWD" "$SVC_SECRETS_DIR" "$SVC_OUTPUT_DIR" ` +
            '"$SVC_CREW_SHARED"; echo bad >&2',
          'sh',
          `${places.secrets}/key`,
          'a b',
        ],
        env: { EXTRA: 'extra "$X"' },
        files: [{ path: `${places.secrets}/key`, content: 'key;' }],
        stdin: 'input;',
      })
      expect(output).toBe(
        'input;key;a b|extra ' +
          `"$X"|${[places.home, places.output, places.secrets, places.output, places.crewShared].join('|')}|`,
      )
      expect({ end, stderr }).toEqual({ end: { kind: 'exit', code: 0, timedOut: false }, stderr: 'bad\n' })
    })

    it('take a prompt of 2 MB, and files at the place of a run', async () => {
      const runId = newId('r')
      const file = `${runtime.places(crew.crewId, ada).runs}/${runId}/mcp.json`
      const { output } = await run({
        runId,
        sh: `wc -c; cat ${file}`,
        stdin: 'x'.repeat(2e6),
        files: [{ path: file, content: '{}' }],
      })
      expect(output.trim()).toBe('2000000\n{}')
    })

    it('know their own id, and nothing of the daemon', async () => {
      process.env['RUNTIME_TEST_SECRET'] = 'leaked'
      const spec = runSpec(crew.crewId, { sh: 'env; cat /proc/$PPID/environ | tr "\\0" "\\n"' })
      await runtime.startRun(spec)
      const { output } = await followed(runtime, spec)
      delete process.env['RUNTIME_TEST_SECRET']
      expect(output).toContain(`SVC_RUN_ID=${spec.runId}\n`)
      expect(output).not.toContain('leaked')
    })

    it('keep no secret that the next run is not given', async () => {
      const { secrets } = runtime.places(crew.crewId, ada)
      const file = (name: string) => ({ path: `${secrets}/${name}`, content: name })
      expect((await run({ files: [file('old'), file('.env'), file('kept')], sh: `ls -A ${secrets}` })).output).toBe(
        '.env\nkept\nold\n',
      )
      expect((await run({ files: [file('kept')], sh: `ls -A ${secrets}` })).output).toBe('kept\n')
      expect((await run({ sh: `ls -A ${secrets}` })).output).toBe('')
    })

    it('report how they ended', async () => {
      expect((await run({ sh: 'exit 9' })).end).toEqual({ kind: 'exit', code: 9, timedOut: false })
      expect((await run({ sh: 'kill -KILL $$' })).end).toEqual({ kind: 'signal', signal: 'SIGKILL' })
      expect((await run({ argv: ['no-such-program'] })).end).toEqual({ kind: 'exit', code: 127, timedOut: false })
      expect((await run({ sh: 'sleep 30', timeoutSeconds: 1 })).end).toMatchObject({ kind: 'exit', timedOut: true })
    })

    it('are followed live, from any offset, by several at once', async () => {
      const spec = runSpec(crew.crewId, { sh: 'echo begin; while [ ! -e go ]; do sleep 0.05; done; rm go; echo end' })
      await runtime.startRun(spec)
      const late = followed(runtime, spec, 3)
      await printed(runtime, spec, 'begin\n')
      await run({ sh: 'touch go' })
      expect((await late).output).toBe('in\nend\n')
      expect((await followed(runtime, spec)).output).toBe('begin\nend\n')
      expect((await followed(runtime, spec, 10)).output).toBe('')
    })

    it('lose no byte of 32 MB', async () => {
      const { output } = await run({ sh: 'seq 1 4400000' })
      expect(output.length).toBeGreaterThan(32e6)
      const lines = output.trimEnd().split('\n')
      expect(lines.length).toBe(4400000)
      expect(lines.every((line, index) => Number(line) === index + 1)).toBe(true)
    })

    it('start once', async () => {
      const spec = runSpec(crew.crewId, { sh: 'echo once' })
      await runtime.startRun(spec)
      await expect(runtime.startRun(spec)).rejects.toThrow('started or ended before')
      expect((await followed(runtime, spec)).output).toBe('once\n')
    })

    it('end when they are ended, with all they started', async () => {
      const runId = newId('r')
      // As adapters do: it must not make the supervisor one of those to be ended.
      const env = { SVC_RUN_ID: runId }
      const spec = runSpec(crew.crewId, {
        runId,
        env,
        sh: 'setsid sleep 300 & trap "echo bye; exit 3" TERM; echo up; while :; do sleep 0.05; done',
      })
      await runtime.startRun(spec)
      await printed(runtime, spec, 'up')
      await runtime.endRun(spec)
      const { output, end } = await followed(runtime, spec)
      expect({ output, end }).toEqual({ output: 'up\nbye\n', end: { kind: 'exit', code: 3, timedOut: false } })
      expect((await run({ sh: `grep -lszF "SVC_RUN_ID=${spec.runId}" /proc/[0-9]*/environ; true` })).output).toBe('')
    })

    it('that were never started read as lost, and then cannot start', async () => {
      const spec = runSpec(crew.crewId, { sh: 'echo ghost' })
      expect((await followed(runtime, spec)).end.kind).toBe('lost')
      await expect(runtime.startRun(spec)).rejects.toThrow('started or ended before')
      const ended = runSpec(crew.crewId)
      await runtime.endRun(ended)
      await expect(runtime.startRun(ended)).rejects.toThrow('started or ended before')
    })

    it('leave no trace once they are discarded', async () => {
      const spec = runSpec(crew.crewId, { sh: 'echo x' })
      await runtime.startRun(spec)
      await followed(runtime, spec)
      await runtime.discardRun(spec)
      const { runs } = runtime.places(crew.crewId, ada)
      expect((await run({ sh: `ls ${runs}` })).output).not.toContain(spec.runId)
    })

    it('go on when the daemon goes away, and are read on without gap or double', async () => {
      const spec = runSpec(crew.crewId, {
        sh:
          'i=0; while [ $i -lt 3000 ]; do i=$((i+1)); echo "line $i"; [ $((i % 300)) -ne 0 ] || sleep 0.1; done; ' +
          'exit 4',
      })
      const ended = runSpec(crew.crewId, { sh: 'echo early; exit 6' })
      const first = subject.open()
      await first.startRun(spec)
      await first.startRun(ended)
      await followed(first, ended)
      const before = await printed(first, spec, 'line 300\n')
      // Dropped, not closed: a daemon that is killed closes nothing.
      const second = subject.open()
      const after = await followed(second, spec, before.length)
      expect((before + after.output).split('\n')).toEqual([
        ...Array.from({ length: 3000 }, (_, index) => `line ${index + 1}`),
        '',
      ])
      expect(after.end).toEqual({ kind: 'exit', code: 4, timedOut: false })
      expect(await followed(second, ended)).toMatchObject({ output: 'early\n', end: { code: 6 } })
      await Promise.all([first.close(), second.close()])
    })
  })

  describe('files', () => {
    it('are listed and read below the output folder only', async () => {
      await run({
        sh:
          'rm -rf * && mkdir -p sub/deep && printf one >a.txt && printf two >sub/b.txt && printf "\\000\\377" ' +
          '>sub/deep/c && ln -s /etc/passwd out && ln -s ../a.txt sub/in && mkfifo pipe',
      })
      const list = async (subdir: string, recursive: boolean) =>
        names(await runtime.listFiles(crew.crewId, ada, subdir, recursive))
      expect(await list('', false)).toEqual(['a.txt', 'out', 'pipe', 'sub/'])
      expect((await list('', true)).sort()).toEqual([
        'a.txt',
        'out',
        'pipe',
        'sub/',
        'sub/b.txt',
        'sub/deep/',
        'sub/deep/c',
        'sub/in',
      ])
      expect(await list('sub', false)).toEqual(['sub/b.txt', 'sub/deep/', 'sub/in'])
      expect(await list('..', true)).toEqual([])
      expect(await list('out', true)).toEqual([])
      const [entry] = await runtime.listFiles(crew.crewId, ada, '', false)
      expect(entry).toEqual({
        path: 'a.txt',
        name: 'a.txt',
        size: 3,
        is_dir: false,
        mod_time: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
      })
      const read = (path: string) => runtime.readFile(crew.crewId, ada, path)
      expect((await read('a.txt'))?.toString()).toBe('one')
      expect((await read('sub/in'))?.toString()).toBe('one')
      expect(await read('sub/deep/c')).toEqual(Buffer.from([0, 255]))
      for (const path of ['out', 'sub', 'pipe', 'none', '../ada/a.txt', '/etc/passwd', '', '.'])
        expect(await read(path), path).toBe(null)
    })

    it('are written whole and removed as the agent', async () => {
      await run({ sh: 'rm -rf *' })
      const content = Buffer.alloc(3_000_000, 'x')
      const file = { folder: 'in/one', name: "a 'b'", size: content.length, content: () => Readable.from([content]) }
      await runtime.deliver(crew.crewId, ada, file)
      const kept = await runtime.readFile(crew.crewId, ada, "in/one/a 'b'")
      expect(kept?.equals(content)).toBe(true)
      await run({ sh: `printf mine >"in/one/a 'b'"` })
      await runtime.deliver(crew.crewId, ada, file)
      const short = { ...file, folder: 'in/two', size: content.length + 1 }
      await expect(runtime.deliver(crew.crewId, ada, short)).rejects.toThrow('not all of the file arrived')
      expect(names(await runtime.listFiles(crew.crewId, ada, 'in', true))).toEqual(['in/one/', "in/one/a 'b'"])
      await runtime.withdraw(crew.crewId, ada, 'in/one')
      await runtime.withdraw(crew.crewId, ada, 'in/none')
      expect(names(await runtime.listFiles(crew.crewId, ada, '', true))).toEqual(['in/'])
      await expect(runtime.deliver('cnowhere', ada, file)).rejects.toMatchObject({ kind: 'not_running' })
      await expect(runtime.withdraw('cnowhere', ada, 'in')).rejects.toMatchObject({ kind: 'not_running' })
    })

    it('belong to one agent', async () => {
      await run({ agent: bob, sh: 'echo hers >hers' })
      expect(names(await runtime.listFiles(crew.crewId, bob, '', true))).toEqual(['hers'])
      expect(await runtime.readFile(crew.crewId, ada, 'hers')).toBe(null)
    })
  })

  portsContract(() => ({ runtime, crew }))
  filesContract(() => ({ runtime, crew, agent: bob }))

  describe('the sidecar', () => {
    it('answers agents once it is configured, and goes on after a change', async () => {
      const { sidecarUrl } = runtime.places(crew.crewId, ada)
      await runtime.configureSidecar(crew.crewId, { network: crew.network, agents: {}, upstreams: {} })
      const ask = () =>
        run({ argv: ['node', '-e', `fetch('${sidecarUrl}/health').then((it) => it.text()).then(console.log)`] })
      expect((await ask()).output).toContain('"configured":true')
      await runtime.configureSidecar(crew.crewId, {
        network: { ...crew.network, mode: 'free' },
        agents: {},
        upstreams: {},
      })
      expect((await ask()).output).toContain('"configured":true')
    })
  })

  describe('a crew that stops', () => {
    const own = crewSpec({ slug: 'naps' })
    const ended = runSpec(own.crewId, {
      sh: 'echo result >file; mkdir -p sub; echo deep >sub/deep; ln -s /etc out; echo said; echo bad >&2; exit 2',
    })
    const cut = runSpec(own.crewId, { sh: 'echo working; sleep 300' })

    beforeAll(async () => {
      await runtime.ensure(own, quiet)
      await runtime.startRun(ended)
      await followed(runtime, ended)
      await runtime.startRun(cut)
      await printed(runtime, cut, 'working')
      await runtime.stop(own.crewId)
    })
    afterAll(() => runtime.remove(own.crewId, { data: true }))
    const observed = async () => (await runtime.observe()).find((it) => it.crewId === own.crewId)

    it('is observed as stopped, and starts no run', async () => {
      expect(await observed()).toMatchObject({ state: 'stopped', startedAt: null })
      await expect(runtime.startRun(runSpec(own.crewId))).rejects.toMatchObject({ kind: 'not_running' })
    })

    it('still tells of its runs', async () => {
      expect(await followed(runtime, ended, 1)).toEqual({
        output: 'aid\n',
        offsets: [1],
        end: { kind: 'exit', code: 2, timedOut: false },
        stderr: 'bad\n',
      })
      const { output, end } = await followed(runtime, cut)
      expect(output).toBe('working\n')
      expect(end.kind).not.toBe('exit')
    })

    it('still shows its files', async () => {
      expect(names(await runtime.listFiles(own.crewId, ada, '', false))).toEqual(['file', 'out', 'sub/'])
      expect(names(await runtime.listFiles(own.crewId, ada, '', true))).toEqual(['file', 'out', 'sub/', 'sub/deep'])
      expect(names(await runtime.listFiles(own.crewId, ada, 'sub', false))).toEqual(['sub/deep'])
      expect((await runtime.readFile(own.crewId, ada, 'file'))?.toString()).toBe('result\n')
      expect((await runtime.readFile(own.crewId, ada, 'sub/deep'))?.toString()).toBe('deep\n')
      for (const path of ['out', 'out/passwd', 'none', '../ada/file'])
        expect(await runtime.readFile(own.crewId, ada, path), path).toBe(null)
    })

    it('comes up again with what it had, and its old runs stay ended', async () => {
      await runtime.ensure(own, quiet)
      expect(await observed()).toMatchObject({ state: 'running', healthy: true })
      const again = runSpec(own.crewId, { sh: 'cat file' })
      await runtime.startRun(again)
      expect((await followed(runtime, again)).output).toBe('result\n')
      expect((await followed(runtime, ended)).end).toEqual({ kind: 'exit', code: 2, timedOut: false })
      const { output, end } = await followed(runtime, cut)
      expect(output).toBe('working\n')
      expect(end.kind).not.toBe('exit')
    })
  })
}
