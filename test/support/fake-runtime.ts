import { EventEmitter, once } from 'node:events'
import { Duplex } from 'node:stream'
import type {
  AgentCommand,
  AgentPlaces,
  AgentSpec,
  CommandEnd,
  CrewImage,
  CrewRoom,
  CrewSpec,
  Delivery,
  Follow,
  FollowSink,
  RunEnd,
  RunRef,
  RunSpec,
  Runtime,
  ShellProgram,
  ShellSize,
  WriteSink,
  WriteWatch,
} from '#runtime/types'
import type { Usage } from '../../daemon/runtime/disk/usage.ts'
import { RuntimeError } from '../../daemon/runtime/errors.ts'
import type { Answers, MarksRequest } from '../../daemon/runtime/marks/wire.ts'

interface Program {
  spec: RunSpec
  out: Buffer[]
  length: number
  end: { end: RunEnd; stderr: string } | null
  sinks: Set<{ sink: FollowSink; at: number }>
}

/** A shell that shows what the test says. */
export class FakeShell implements ShellProgram {
  typed = ''
  readonly sizes: ShellSize[]
  readonly stream: Duplex

  constructor(size: ShellSize) {
    this.sizes = [size]
    this.stream = new Duplex({
      read() {},
      write: (chunk, _encoding, done) => {
        this.typed += chunk
        done()
      },
    })
    this.stream.on('end', () => this.stream.destroy())
  }

  show(text: string): void {
    this.stream.push(text)
  }
  async resize(size: ShellSize): Promise<void> {
    this.sizes.push(size)
  }
  close(): void {
    this.stream.destroy()
  }
}

/**
 * A runtime whose programs do what the test says: they print on command and end on command. What they printed outlives
 * a
 * daemon, as a spool does.
 */
export class FakeRuntime implements Runtime {
  readonly kind: Runtime['kind'] = 'process'
  readonly programs = new Map<string, Program>()
  readonly ended: string[] = []
  readonly discarded: string[] = []
  /** The runs that something was looked for after; undefined where it was for an agent as a whole. */
  readonly left: (string | undefined)[] = []
  readonly cleared: string[] = []
  /** What was asked of the program that marks files. */
  readonly marking: MarksRequest[] = []
  /** Answers for it. */
  answerMarks: (request: MarksRequest) => Promise<unknown> = async () => {
    throw new RuntimeError('refused', 'nothing is marked here')
  }
  refuseClear: Error | null = null
  /** Rejects the next start. */
  refuseStart: Error | null = null
  /** Programs that are told to end do so by themselves; false leaves it to the test. */
  obedient = true
  private readonly news = new EventEmitter().setMaxListeners(0)

  /** The program of the n-th run, as soon as it is started. */
  async program(n = 0): Promise<Program> {
    while (this.programs.size <= n) await once(this.news, 'started')
    return [...this.programs.values()][n]!
  }

  /** Prints lines: objects as JSON, text as it is. */
  print({ spec }: Program, ...lines: (object | string)[]): void {
    const program = this.programs.get(spec.runId)!
    this.send(
      program,
      Buffer.from(lines.map((line) => `${typeof line === 'string' ? line : JSON.stringify(line)}\n`).join('')),
    )
  }

  printRaw({ spec }: Program, bytes: Buffer): void {
    this.send(this.programs.get(spec.runId)!, bytes)
  }

  finish({ spec }: Program, end: RunEnd = { kind: 'exit', code: 0, timedOut: false }, stderr = ''): void {
    const program = this.programs.get(spec.runId)!
    program.end = { end, stderr }
    for (const { sink } of program.sinks) sink.end(end, stderr)
    program.sinks.clear()
  }

  /** Every connection to every program breaks. */
  breakAll(): void {
    for (const program of this.programs.values()) {
      const sinks = [...program.sinks]
      program.sinks.clear()
      for (const { sink } of sinks) sink.broken(new Error('the channel broke'))
    }
  }

  private send(program: Program, bytes: Buffer): void {
    program.out.push(bytes)
    program.length += bytes.length
    for (const one of program.sinks) this.catchUp(program, one)
  }

  private catchUp(program: Program, one: { sink: FollowSink; at: number }): void {
    let start = 0
    for (const bytes of program.out) {
      const end = start + bytes.length
      if (one.at < end) {
        const chunk = bytes.subarray(Math.max(0, one.at - start))
        const at = one.at
        one.at = end
        one.sink.data(chunk, at)
      }
      start = end
    }
  }

  async ping() {
    return { ok: true, detail: 'a fake' }
  }
  async observe() {
    return []
  }
  async belongings() {
    return []
  }
  async imageOf(_crewId?: string): Promise<CrewImage | null> {
    return null
  }
  async hasImage() {
    return true
  }
  contractOf(): string {
    return 'fake'
  }
  async ensure(): Promise<void> {}
  async stop(): Promise<void> {}
  async marks<R extends MarksRequest>(_spec: CrewSpec, request: R): Promise<Answers[R['op']]> {
    this.marking.push(request)
    return (await this.answerMarks(request)) as Answers[R['op']]
  }
  async usage(_spec?: CrewSpec): Promise<Usage | null> {
    return null
  }
  async room(_spec?: CrewSpec): Promise<CrewRoom | null> {
    return null
  }
  async remove(): Promise<void> {}
  async configureSidecar(): Promise<void> {}
  onSidecarReport(): void {}
  onSidecarCall(): void {}
  onChange(): void {}

  /** By crew: who watches its shared folders now. */
  readonly writeSinks = new Map<string, { since: number; sink: WriteSink }>()
  /** How often the shared folders of a crew were begun to be watched. */
  writeWatches = 0
  watchWrites(crewId: string, since: number, sink: WriteSink): WriteWatch {
    const it = { since, sink }
    this.writeWatches++
    this.writeSinks.set(crewId, it)
    this.news.emit('watching')
    return {
      close: () => {
        if (this.writeSinks.get(crewId) === it) this.writeSinks.delete(crewId)
      },
    }
  }

  places(_crewId: string, { slug }: AgentSpec): AgentPlaces {
    return {
      home: `/crew/agents/${slug}`,
      output: `/output/${slug}`,
      workspace: `/workspace/${slug}`,
      secrets: `/secrets/${slug}`,
      crewShared: '/crew/shared',
      workspaceShared: '/workspace/shared',
      runs: `/spool/${slug}`,
      sidecarUrl: 'http://127.0.0.1:9119',
    }
  }

  async startRun(spec: RunSpec): Promise<void> {
    if (this.programs.has(spec.runId)) throw new Error('this run was started or ended before')
    const refused = this.refuseStart
    this.refuseStart = null
    if (refused) throw refused
    this.programs.set(spec.runId, { spec, out: [], length: 0, end: null, sinks: new Set() })
    this.news.emit('started')
  }

  async endRun({ runId }: RunRef): Promise<void> {
    this.ended.push(runId)
    const program = this.programs.get(runId)
    if (program && !program.end && this.obedient) this.finish(program, { kind: 'signal', signal: 'SIGTERM' })
    this.news.emit('ending')
  }

  async endLeft(_crewId: string, _agent: AgentSpec, ended?: string): Promise<void> {
    this.left.push(ended)
  }
  async clear(_crewId: string, { slug }: AgentSpec, { data }: { data: boolean }): Promise<void> {
    const refused = this.refuseClear
    this.refuseClear = null
    if (refused) throw refused
    this.cleared.push(data ? `${slug} with data` : slug)
    this.news.emit('cleared')
  }

  /** Resolves when this many agents have been cleared away. */
  async clearedAway(count: number): Promise<void> {
    while (this.cleared.length < count) await once(this.news, 'cleared')
  }
  onOpenRuns(): void {}

  /** Resolves when somebody has asked for the end of this many runs. */
  async asked(count: number): Promise<void> {
    while (this.ended.length < count) await once(this.news, 'ending')
  }

  follow({ runId }: RunRef, offset: number, sink: FollowSink): Follow {
    const program = this.programs.get(runId)
    const one = { sink, at: offset }
    queueMicrotask(() => {
      if (!program) return sink.end({ kind: 'lost', reason: 'nothing is known of it' }, '')
      this.catchUp(program, one)
      if (program.end) sink.end(program.end.end, program.end.stderr)
      else program.sinks.add(one)
    })
    return { close: () => program?.sinks.delete(one) }
  }

  async discardRun({ runId }: RunRef): Promise<void> {
    this.discarded.push(runId)
  }
  async connect(): Promise<never> {
    throw new RuntimeError('refused', 'nobody listens here')
  }
  async logs(): Promise<string> {
    return ''
  }
  files = new Map<string, string>()
  async listFiles(_crewId: string, _agent: AgentSpec, subdir: string) {
    const inside = [...this.files].filter(([path]) => path.startsWith(subdir))
    return inside.map(([path, content]) => ({
      path,
      name: path.split('/').at(-1)!,
      size: content.length,
      is_dir: false,
      mod_time: '2026-01-01T00:00:00.000Z',
    }))
  }
  async readFile(_crewId: string, _agent: AgentSpec, path: string): Promise<Buffer | null> {
    const content = this.files.get(path)
    return content === undefined ? null : Buffer.from(content)
  }
  /** What the next short programs answer; a test may put its own here. */
  async command(_crewId: string, _agent: AgentSpec, _command: AgentCommand): Promise<CommandEnd> {
    return { code: 0, stdout: '', stderr: '' }
  }
  /** What a test types into shells, and what they show, by id. */
  readonly shells = new Map<string, FakeShell>()
  async openShell(_crewId: string, _agent: AgentSpec, id: string, size: ShellSize): Promise<ShellProgram> {
    const shell = new FakeShell(size)
    this.shells.set(id, shell)
    return shell
  }
  /** Rejects the next delivery. */
  refuseDelivery: Error | null = null
  /** The servers that were known when those that are gone were looked for. */
  readonly knownServers: string[][] = []
  async clearServers(_crewId: string, known: readonly string[]): Promise<void> {
    this.knownServers.push([...known])
  }
  async startServer(): Promise<never> {
    throw new RuntimeError('refused', 'no server runs here')
  }

  async deliver(_crewId: string, _agent: AgentSpec, { folder, name, content }: Delivery): Promise<void> {
    const refused = this.refuseDelivery
    this.refuseDelivery = null
    if (refused) throw refused
    this.files.set(`${folder}/${name}`, (await content().toArray()).map(String).join(''))
  }
  /** Rejects withdrawals. */
  refuseWithdrawal: Error | null = null
  async withdraw(_crewId: string, _agent: AgentSpec, folder: string): Promise<void> {
    if (this.refuseWithdrawal) throw this.refuseWithdrawal
    for (const path of this.files.keys()) if (path.startsWith(`${folder}/`)) this.files.delete(path)
  }
  async close(): Promise<void> {}
}
