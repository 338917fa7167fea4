// Longer than other files: all that a runtime can do, in one class.
import type { Buffer } from 'node:buffer'
import { accessSync, constants, existsSync, mkdirSync, readdirSync, realpathSync } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type { Duplex } from 'node:stream'
import { connectHere } from '../bridge/here.ts'
import { roomAt } from '../disk/room.ts'
import type { Usage } from '../disk/usage.ts'
import { RuntimeError } from '../errors.ts'
import { answerIn } from '../marks/answer.ts'
import type { Answers, MarksRequest } from '../marks/wire.ts'
import { digestOf, programsFolder } from '../programs.ts'
import { folderFor } from '../server-folders.ts'
import type { Belonging } from '../service-types.ts'
import { inTime } from '../spool/bounded.ts'
import { bundle, discarded, traces } from '../spool/bundle.ts'
import { runEnvironment } from '../spool/environment.ts'
import { listInside, readInside, within } from '../spool/files.ts'
import { followRun, type Reading } from '../spool/follow-run.ts'
import { followSpool } from '../spool/follower.ts'
import { Turns } from '../turns.ts'
import type {
  AgentCommand,
  AgentPlaces,
  AgentSpec,
  CommandEnd,
  CrewRoom,
  CrewSpec,
  Delivery,
  FileEntry,
  Follow,
  FollowSink,
  ObservedCrew,
  Progress,
  RunRef,
  RunSpec,
  Runtime,
  ServerProcess,
  ServerProgram,
  SidecarConfig,
  SidecarListener,
  SidecarReport,
  WriteSink,
  WriteWatch,
} from '../types.ts'
import { deliverHere } from './deliver.ts'
import { checkListener } from './listeners.ts'
import { askMarksHere } from './marks.ts'
import { makePlaces, placesBelow } from './places.ts'
import { launch, run, runCommand } from './programs.ts'
import { Servers } from './servers.ts'
import { Sidecars } from './sidecars.ts'
import { foldersIn, readState, writeState } from './state.ts'
import { countFolder } from './usage.ts'

export interface ProcessOptions {
  /** Folder that holds all crews. */
  folder: string
  /** Folder of supervise.sh and end-run.sh. */
  programs?: string
}

const needed = ['sh', 'timeout', 'tar', 'grep', 'mkdir']

/**
 * Runs agents as processes of the daemon's user, with that user's rights, to try Muster out without an engine. There is
 * no isolation, and limits of crews are not enforced.
 */
export class ProcessRuntime implements Runtime {
  readonly kind = 'process'
  readonly #folder: string
  readonly #programs: string
  readonly #sidecars = new Sidecars()
  readonly #servers = new Servers()
  /** By agent. */
  readonly #turns = new Turns()
  #openRuns: (agentId: string) => string[] = () => []

  constructor({ folder, programs = programsFolder() }: ProcessOptions) {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    this.#folder = realpathSync(folder)
    this.#programs = programs
    if (!existsSync(join(programs, 'supervise.sh')))
      throw new RuntimeError('image', `${programs}/supervise.sh is missing: run "npm run build"`)
  }

  async ping(): Promise<{ ok: boolean; detail: string }> {
    const missing = needed.filter((name) => !onPath(name))
    if (missing.length) return { ok: false, detail: `This machine lacks ${missing.join(', ')}` }
    if (!existsSync('/proc/self/fd')) return { ok: false, detail: 'Agents as local processes need Linux' }
    return { ok: true, detail: 'Agents run as local processes of this user: nothing isolates them' }
  }

  async observe(crewId?: string): Promise<ObservedCrew[]> {
    return (crewId ? [crewId] : foldersIn(this.#folder)).flatMap((crewId) => {
      const state = readState(this.#root(crewId))
      if (!state) return []
      const { workspaceId, contract, startedAt } = state
      return [
        {
          crewId,
          workspaceId,
          state: state.state,
          containerId: `local-${crewId}`,
          contract,
          startedAt,
          healthy: this.#sidecars.has(crewId),
          made: null,
        },
      ]
    })
  }

  async belongings(): Promise<Belonging[]> {
    return foldersIn(this.#folder).map((crewId) => ({ kind: 'volume', name: this.#root(crewId), crewId, own: true }))
  }

  async hasImage(): Promise<null> {
    return null
  }

  contractOf({ crewId }: CrewSpec): string {
    return digestOf(['process', crewId]).slice(0, 12)
  }

  async ensure(spec: CrewSpec, progress: Progress): Promise<void> {
    const root = this.#root(spec.crewId)
    const before = readState(root)
    if (before?.state !== 'running' || !this.#sidecars.has(spec.crewId)) progress.step('starting the sidecar')
    mkdirSync(root, { recursive: true, mode: 0o700 })
    const { port } = await this.#sidecars.open(spec.crewId, before?.port ?? 0)
    const startedAt = (before?.state === 'running' && before.startedAt) || new Date().toISOString()
    writeState(root, {
      state: 'running',
      workspaceId: spec.workspaceId,
      contract: this.contractOf(spec),
      startedAt,
      port,
    })
    for (const agent of spec.agents) await makePlaces(this.places(spec.crewId, agent))
  }

  async stop(crewId: string, { now } = { now: false }): Promise<void> {
    const root = this.#root(crewId)
    await this.#endAll(root, now)
    await this.#sidecars.close(crewId)
    const state = readState(root)
    if (state) writeState(root, { ...state, state: 'stopped', startedAt: null })
    await this.#servers.end(crewId)
  }

  async remove(crewId: string, { data }: { data: boolean }): Promise<void> {
    const root = this.#root(crewId)
    await this.#endAll(root)
    await this.#sidecars.close(crewId)
    await rm(join(root, 'crew.json'), { force: true })
    await this.#servers.end(crewId)
    if (data) await rm(root, { recursive: true, force: true })
  }

  /** Ends processes run by run, including those that ended runs left behind, since there is no container to stop. */
  async #endAll(root: string, now = false): Promise<void> {
    const started = foldersIn(join(root, 'spool')).flatMap((slug) => runsIn(join(root, 'spool', slug)))
    await Promise.all(started.map((folder) => this.#end(folder, basename(folder), now)))
  }

  /** Finds processes only by the marks of their runs, since agents have no uids of their own here. */
  async endLeft(crewId: string, agent: AgentSpec, ended?: string): Promise<void> {
    if (!readState(this.#root(crewId))) return
    await this.#inTurn(crewId, agent, async () => {
      const open = this.#openRuns(agent.agentId)
      const over = runsIn(this.places(crewId, agent).runs).filter(
        (it) => basename(it) === ended || !open.includes(basename(it)),
      )
      await Promise.all(over.map((folder) => this.#end(folder, basename(folder))))
    })
  }

  async clear(crewId: string, agent: AgentSpec, { data }: { data: boolean }): Promise<void> {
    if (!readState(this.#root(crewId))) return
    const { runs, secrets, output, workspace, home } = this.places(crewId, agent)
    await this.#inTurn(crewId, agent, async () => {
      await Promise.all(runsIn(runs).map((folder) => this.#end(folder, basename(folder))))
      for (const folder of [secrets, ...(data ? [runs, output, workspace, home] : [])])
        await rm(folder, { recursive: true, force: true })
    })
  }

  onOpenRuns(answer: (agentId: string) => string[]): void {
    this.#openRuns = answer
  }

  configureSidecar(crewId: string, config: SidecarConfig): Promise<void> {
    return this.#sidecars.configure(crewId, config)
  }

  usage({ crewId }: CrewSpec): Promise<Usage | null> {
    return countFolder(join(this.#programs, 'usage.cjs'), this.#root(crewId))
  }

  async marks<R extends MarksRequest>({ crewId }: CrewSpec, request: R, seconds: number): Promise<Answers[R['op']]> {
    return answerIn<R>(await askMarksHere(join(this.#programs, 'marks.cjs'), this.#root(crewId), request, seconds))
  }

  async room({ crewId }: CrewSpec): Promise<CrewRoom | null> {
    const root = this.#root(crewId)
    return existsSync(root) ? { ...roomAt(root), local: true } : null
  }

  onSidecarReport(listener: (crewId: string, report: SidecarReport) => void): void {
    this.#sidecars.onReport(listener)
  }

  onSidecarCall(listener: SidecarListener): void {
    this.#sidecars.onCall(listener)
  }

  async imageOf(): Promise<null> {
    return null
  }

  /** There are no events: only the daemon itself starts and stops crews here. */
  onChange(): void {}

  places(crewId: string, agent: AgentSpec): AgentPlaces {
    const root = this.#root(crewId)
    return placesBelow(root, agent, `http://127.0.0.1:${readState(root)?.port ?? 0}`)
  }

  async startRun(spec: RunSpec): Promise<void> {
    if (readState(this.#root(spec.crewId))?.state !== 'running')
      throw new RuntimeError('not_running', 'The crew is not running')
    const places = this.places(spec.crewId, spec.agent)
    await makePlaces(places)
    const folder = this.#runFolder(spec)
    const args = [folder, spec.runId, String(spec.timeoutSeconds), ...spec.argv]
    await launch(
      join(this.#programs, 'supervise.sh'),
      args,
      runEnvironment(places, spec.env),
      await bundle(folder, spec.files, spec.stdin),
      'started\n',
    )
  }

  async endRun(ref: RunRef): Promise<void> {
    if (!readState(this.#root(ref.crewId))) return
    await makePlaces(this.places(ref.crewId, ref.agent))
    await this.#end(this.#runFolder(ref), ref.runId)
  }

  #end(folder: string, runId: string, now = false): Promise<void> {
    return run(join(this.#programs, 'end-run.sh'), [folder, runId, ...(now ? ['0'] : [])])
  }

  follow(ref: RunRef, offset: number, sink: FollowSink): Follow {
    const folder = this.#runFolder(ref)
    return followRun(offset, sink, {
      read: (position, data) => readLocal(folder, position, data),
      end: () => this.endRun(ref),
    })
  }

  async discardRun(ref: RunRef): Promise<void> {
    await this.#inTurn(ref.crewId, ref.agent, async () => {
      const folder = this.#runFolder(ref)
      await rm(`${folder}${discarded}`, { recursive: true, force: true })
      if (existsSync(folder)) await rename(folder, `${folder}${discarded}`)
      for (const suffix of traces) await rm(`${folder}${suffix}`, { recursive: true, force: true })
    })
  }

  async connect(crewId: string, port: number): Promise<Duplex> {
    if (readState(this.#root(crewId))?.state !== 'running')
      throw new RuntimeError('not_running', 'The crew is not running')
    await checkListener(port, `SVC_CREW_SHARED=${this.#root(crewId)}/shared`)
    return connectHere(port).catch((error: Error) => {
      throw new RuntimeError('refused', error.message, { cause: error })
    })
  }

  async logs(crewId: string, tail: number): Promise<string> {
    const state = readState(this.#root(crewId))
    const lines = state
      ? [`process runtime: status=${state.state} started=${state.startedAt ?? '-'} sidecar=127.0.0.1:${state.port}`]
      : []
    return lines.slice(-tail).join('\n')
  }

  async listFiles(crewId: string, agent: AgentSpec, subdir: string, recursive: boolean): Promise<FileEntry[]> {
    const path = within(subdir)
    return path === null ? [] : listInside(this.places(crewId, agent).output, path, recursive)
  }

  async readFile(crewId: string, agent: AgentSpec, path: string): Promise<Buffer | null> {
    const inside = within(path)
    return inside ? readInside(this.places(crewId, agent).output, inside) : null
  }

  async command(crewId: string, agent: AgentSpec, command: AgentCommand): Promise<CommandEnd> {
    if (readState(this.#root(crewId))?.state !== 'running')
      throw new RuntimeError('not_running', 'The crew is not running')
    await makePlaces(this.places(crewId, agent))
    const work = () => inTime(runCommand(command), command.seconds)
    return command.alone ? this.#inTurn(crewId, agent, work) : work()
  }

  watchWrites(_crewId: string, _since: number, sink: WriteSink): WriteWatch {
    const why = 'agents are processes of one user here, so that no file says which of them wrote it'
    queueMicrotask(() => sink.ended(why))
    return { close() {} }
  }

  openShell(): Promise<never> {
    const why = 'Agents are processes of the daemon here: a shell would have all rights of its user on this machine'
    return Promise.reject(new RuntimeError('refused', why))
  }

  async startServer(crewId: string, program: ServerProgram): Promise<ServerProcess> {
    if (readState(this.#root(crewId))?.state !== 'running')
      throw new RuntimeError('not_running', 'The crew is not running')
    const folder = join(this.#root(crewId), 'servers', folderFor(program))
    const server = await this.#servers.start(crewId, folder, program)
    if (readState(this.#root(crewId))?.state === 'running') return server
    await server.end()
    throw new RuntimeError('not_running', 'The crew was stopped meanwhile')
  }

  async clearServers(crewId: string, known: readonly string[]): Promise<void> {
    await this.#servers.clear(join(this.#root(crewId), 'servers'), known)
  }

  async deliver(crewId: string, agent: AgentSpec, file: Delivery): Promise<void> {
    await deliverHere(this.#outputOf(crewId, agent), file)
  }

  async withdraw(crewId: string, agent: AgentSpec, folder: string): Promise<void> {
    await rm(join(this.#outputOf(crewId, agent), folder), { recursive: true, force: true })
  }

  #outputOf(crewId: string, agent: AgentSpec): string {
    if (readState(this.#root(crewId))?.state !== 'running')
      throw new RuntimeError('not_running', 'The crew is not running')
    return this.places(crewId, agent).output
  }

  async close(): Promise<void> {
    await this.#servers.endAll()
    await this.#sidecars.closeAll()
  }

  /** Serializes ends and discards: ending a run writes its record, which would recreate a discarded run. */
  #inTurn<T>(crewId: string, { agentId }: AgentSpec, work: () => Promise<T>): Promise<T> {
    return this.#turns.take(`${crewId} ${agentId}`, work)
  }

  #root(crewId: string): string {
    return join(this.#folder, crewId)
  }

  #runFolder({ crewId, runId, agent }: { crewId: string; runId: string; agent: AgentSpec }): string {
    return `${this.places(crewId, agent).runs}/${runId}`
  }
}

function readLocal(folder: string, position: number, data: (chunk: Buffer) => void): Reading {
  let stop = () => {}
  return {
    outcome: new Promise((resolve, reject) => {
      const following = followSpool(folder, position, {
        data,
        ended: (record, stderr) => resolve({ record, stderr }),
        failed: reject,
      })
      stop = () => following.close()
    }),
    stop: () => stop(),
  }
}

/** Folders of all runs that were started and not discarded. */
const runsIn = (spool: string): string[] =>
  existsSync(spool)
    ? readdirSync(spool).flatMap((name) => (name.endsWith('.run') ? [join(spool, name.slice(0, -'.run'.length))] : []))
    : []

function onPath(program: string): boolean {
  return (process.env['PATH'] ?? '').split(':').some((folder) => {
    try {
      accessSync(join(folder, program), constants.X_OK)
      return true
    } catch {
      return false
    }
  })
}
