/** The runtime that runs each crew in containers of a Docker engine: each part of the work has a module of its own. */
import type { Buffer } from 'node:buffer'
import type { Duplex } from 'node:stream'
import type { Usage } from '../disk/usage.ts'
import { answerIn } from '../marks/answer.ts'
import type { Answers, MarksRequest } from '../marks/wire.ts'
import { digestOf, loadPrograms, type Program, programsFolder } from '../programs.ts'
import type { Relayed } from '../relayed.ts'
import { serverUserNamed } from '../server-users.ts'
import type { Belonging } from '../service-types.ts'
import { nobodyAnswers } from '../sidecar/agent-calls.ts'
import { within } from '../spool/files.ts'
import { Turns } from '../turns.ts'
import type {
  AgentCommand,
  AgentPlaces,
  AgentSpec,
  CommandEnd,
  CrewImage,
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
  ShellProgram,
  ShellSize,
  SidecarConfig,
  SidecarListener,
  SidecarReport,
  WriteSink,
  WriteWatch,
} from '../types.ts'
import { findBelongings } from './belongings.ts'
import { Bridges } from './bridges.ts'
import { bringUp, removeContainers, removeNetworkAndVolumes, stopContainers } from './bring-up.ts'
import { Connections } from './connections.ts'
import { crewContainerOf, findCrew, imageOfCrew, isHealthy, notRunning, observeCrews, stopReasonOf } from './crews.ts'
import { deliverTo, withdrawFrom } from './deliver.ts'
import { ensureEnder } from './end-processes.ts'
import { type Container, connectEngine, type Engine, ifThere } from './engine.ts'
import { watchEvents } from './events.ts'
import { ensureImage } from './images.ts'
import { readLogs } from './logs.ts'
import { askMarks, removeMarker } from './marks.ts'
import { nameServers } from './name-servers.ts'
import { type Naming, volumes } from './names.ts'
import { Relays } from './relays.ts'
import { placesOf, Runs, userOf } from './runs.ts'
import { Servers } from './servers.ts'
import { listStopped, readStopped } from './stopped.ts'
import { countVolumes, removeCounter } from './usage.ts'
import { watchWrites } from './write-watch.ts'

export interface DockerOptions extends Naming {
  /** Address of the engine, by default that of DOCKER_HOST. */
  host?: string
  crewImage: string
  sidecarImage: string
  /** Name servers of the crews, by default those of this machine if the engine is on it. */
  dns?: readonly string[]
  /** Folder of the programs that go into the images. */
  programs?: string
  /** Model services on the daemon's loopback, which sidecars reach through it. */
  relayed?: readonly Relayed[]
  relayFailed?: (crewId: string, error: unknown) => void
  /** Milliseconds that a run may take to end in an orderly way. */
  endMs?: number
}

const crewPrograms = ['supervise.sh', 'end-run.sh', 'channel.cjs', 'bridge.cjs', 'watch-writes.pl']
const sidecarPrograms = ['sidecar-entry', 'sidecar.cjs', 'relay.cjs', 'usage.cjs', 'marks.cjs']
const endProgram = 'end-processes.cjs'
const pingMs = 3000

/** Runs every crew in a hardened container on a local or remote Docker engine, using only the engine's API. */
export class DockerRuntime implements Runtime {
  readonly kind = 'docker'
  readonly #engine: Engine
  readonly #options: DockerOptions
  readonly #connections: Connections
  readonly #runs: Runs
  readonly #bridges: Bridges
  readonly #servers: Servers
  readonly #crewPrograms: Program[]
  readonly #sidecarPrograms: Program[]
  readonly #programsDigest: string
  readonly #reportListeners: ((crewId: string, report: SidecarReport) => void)[] = []
  readonly #changeListeners: ((crewId: string) => void)[] = []
  readonly #turns = new Turns()
  #events: { close(): void } | null = null
  #answer: SidecarListener = nobodyAnswers
  #openRuns: (agentId: string) => string[] = () => []

  constructor(options: DockerOptions) {
    const folder = options.programs ?? programsFolder()
    this.#options = options
    this.#engine = connectEngine(options.host)
    this.#crewPrograms = loadPrograms(folder, crewPrograms)
    this.#sidecarPrograms = loadPrograms(folder, sidecarPrograms)
    this.#programsDigest = digestOf(
      [...this.#crewPrograms, ...this.#sidecarPrograms].flatMap(({ name, content }) => [name, content]),
    )
    const report = (crewId: string, it: SidecarReport) => {
      this.#noteDenial(crewId, it)
      for (const listener of this.#reportListeners) listener(crewId, it)
    }
    this.#connections = new Connections(
      this.#engine,
      options,
      report,
      (...asked) => this.#answer(...asked),
      new Relays(options.relayed ?? [], options.relayFailed),
    )
    this.#bridges = new Bridges(this.#connections)
    const [program] = loadPrograms(folder, [endProgram])
    this.#runs = new Runs(
      this.#engine,
      options,
      this.#connections,
      program!.content.toString(),
      (agentId) => this.#openRuns(agentId),
      options.endMs,
    )
    this.#servers = new Servers({
      connections: this.#connections,
      isGone: (crewId, uid) => this.#runs.isGone(crewId, uid),
      endAll: (crewId, uid) => this.#runs.endUser(crewId, uid),
      policy: (crewId) => this.#connections.policy(crewId),
    })
  }

  #noteDenial(crewId: string, report: SidecarReport): void {
    if (report.type !== 'egress_denied' || report.agentId === null) return
    const uid = serverUserNamed(report.agentId)
    if (uid !== null) this.#servers.denied(crewId, uid, report.host)
  }

  async ping(): Promise<{ ok: boolean; detail: string }> {
    const patience = AbortSignal.timeout(pingMs)
    const late = new Promise<never>((_resolve, reject) =>
      patience.addEventListener('abort', () => reject(new Error(`no answer within ${pingMs / 1000} s`))),
    )
    try {
      const { Version, ApiVersion } = await Promise.race([this.#engine.version(), late])
      return { ok: true, detail: `Docker engine ${Version} (API ${ApiVersion})` }
    } catch (error) {
      return { ok: false, detail: `No Docker engine answers: ${(error as Error).message}` }
    }
  }

  observe(crewId?: string): Promise<ObservedCrew[]> {
    return observeCrews(this.#engine, this.#options, crewId)
  }

  belongings(): Promise<Belonging[]> {
    return findBelongings(this.#engine, this.#options)
  }

  imageOf(crewId: string): Promise<CrewImage | null> {
    return imageOfCrew(this.#engine, this.#options, crewId, this.#options.crewImage)
  }

  async hasImage(image: string): Promise<boolean | null> {
    try {
      return (await ifThere('looking for an image', () => this.#engine.getImage(image).inspect())) !== null
    } catch {
      return null
    }
  }

  contractOf({ image, memoryMb, cpus }: CrewSpec): string {
    const container = JSON.stringify({
      layout: 4,
      image: image || this.#options.crewImage,
      sidecar: this.#options.sidecarImage,
      memoryMb,
      cpus,
    })
    return digestOf([container, this.#programsDigest]).slice(0, 12)
  }

  ensure(spec: CrewSpec, progress: Progress): Promise<void> {
    return this.#inTurn(spec.crewId, async () => {
      const found = await findCrew(this.#engine, this.#options, spec.crewId)
      const reason = stopReasonOf(found)
      if (reason) this.#runs.blame(spec.crewId, reason)
      if (!isHealthy(found)) await this.#bringUp(spec, progress)
      else if (!(await this.#connections.joinedTo(spec.crewId, found.sidecar!.Id))) {
        await this.#connections.joinSidecar(spec.crewId, this.#engine.getContainer(found.sidecar!.Id))
      }
      await this.#connections.channel(spec.crewId)
      await ensureEnder(this.#engine, this.#options, spec.crewId)
      await this.#connections.place(spec.crewId, spec.agents)
    })
  }

  async #bringUp(spec: CrewSpec, progress: Progress): Promise<void> {
    const { crewImage, sidecarImage } = this.#options
    const images = {
      crew: await ensureImage(
        this.#engine,
        this.#options,
        'crew',
        spec.image || crewImage,
        this.#crewPrograms,
        progress,
      ),
      sidecar: await ensureImage(this.#engine, this.#options, 'sidecar', sidecarImage, this.#sidecarPrograms, progress),
    }
    this.#drop(spec.crewId)
    await bringUp(this.#engine, this.#options, spec, this.contractOf(spec), images, progress, (sidecar) =>
      this.#connections.joinSidecar(spec.crewId, sidecar),
    )
  }

  stop(crewId: string, { now } = { now: false }): Promise<void> {
    return this.#inTurn(crewId, async () => {
      this.#drop(crewId)
      if (!now) await this.#runs.endAll(crewId)
      await stopContainers(this.#engine, this.#options, crewId, now ? 0 : 30)
    })
  }

  remove(crewId: string, { data }: { data: boolean }): Promise<void> {
    return this.#inTurn(crewId, async () => {
      this.#drop(crewId)
      await this.#runs.endAll(crewId)
      await removeContainers(this.#engine, this.#options, crewId)
      if (data) {
        await removeCounter(this.#engine, this.#options, crewId)
        await removeMarker(this.#engine, this.#options, crewId)
      }
      await removeNetworkAndVolumes(this.#engine, this.#options, crewId, data)
    })
  }

  async usage(spec: CrewSpec): Promise<Usage | null> {
    return countVolumes(this.#engine, this.#options, spec, await this.#sidecarImage())
  }

  async marks<R extends MarksRequest>(spec: CrewSpec, request: R, seconds: number): Promise<Answers[R['op']]> {
    return answerIn<R>(await askMarks(this.#engine, this.#options, spec, await this.#sidecarImage(), request, seconds))
  }

  #sidecarImage(): Promise<string> {
    const { sidecarImage } = this.#options
    return ensureImage(this.#engine, this.#options, 'sidecar', sidecarImage, this.#sidecarPrograms, { step() {} })
  }

  async room({ crewId }: CrewSpec): Promise<CrewRoom | null> {
    const channel = await this.#connections.openChannel(crewId)
    return channel && { ...(await channel.room(volumes.workspace)), local: this.#local }
  }

  /** Whether the engine is on this machine. */
  get #local(): boolean {
    const { host = process.env['DOCKER_HOST'] ?? '' } = this.#options
    return host === '' || host.startsWith('unix://')
  }

  configureSidecar(crewId: string, config: SidecarConfig): Promise<void> {
    const { dns = [] } = this.#options
    const resolvers = config.resolvers ?? (dns.length ? [...dns] : this.#local ? nameServers() : [])
    return this.#connections.configure(crewId, { ...config, resolvers })
  }

  onSidecarReport(listener: (crewId: string, report: SidecarReport) => void): void {
    this.#reportListeners.push(listener)
  }

  onSidecarCall(listener: SidecarListener): void {
    this.#answer = listener
  }

  onChange(listener: (crewId: string) => void): void {
    this.#changeListeners.push(listener)
    this.#events ??= watchEvents(this.#engine, this.#options, (crewId) => {
      this.#connections.forget(crewId)
      for (const it of this.#changeListeners) it(crewId)
    })
  }

  places(_crewId: string, agent: AgentSpec): AgentPlaces {
    return placesOf(agent)
  }

  startRun(spec: RunSpec): Promise<void> {
    return this.#runs.start(spec)
  }

  endRun(run: RunRef): Promise<void> {
    return this.#runs.end(run)
  }

  endLeft(crewId: string, agent: AgentSpec, ended?: string): Promise<void> {
    return this.#runs.endLeft(crewId, agent, ended)
  }

  clear(crewId: string, agent: AgentSpec, { data }: { data: boolean }): Promise<void> {
    return this.#runs.clear(crewId, agent, data)
  }

  onOpenRuns(answer: (agentId: string) => string[]): void {
    this.#openRuns = answer
  }

  follow(run: RunRef, offset: number, sink: FollowSink): Follow {
    return this.#runs.follow(run, offset, sink)
  }

  discardRun(run: RunRef): Promise<void> {
    return this.#runs.discard(run)
  }

  watchWrites(crewId: string, since: number, sink: WriteSink): WriteWatch {
    return watchWrites((work) => this.#connections.within(crewId, work), since, sink)
  }

  connect(crewId: string, port: number): Promise<Duplex> {
    return this.#bridges.connect(crewId, port)
  }

  logs(crewId: string, tail: number): Promise<string> {
    return readLogs(this.#engine, this.#options, crewId, tail)
  }

  async listFiles(crewId: string, agent: AgentSpec, subdir: string, recursive: boolean): Promise<FileEntry[]> {
    const found = await crewContainerOf(this.#engine, this.#options, crewId)
    const [root, path] = [placesOf(agent).output, within(subdir)]
    if (path === null || !found) return []
    return found.running
      ? (await this.#connections.channel(crewId)).list(root, path, recursive)
      : listStopped(found.container, root, path, recursive)
  }

  async readFile(crewId: string, agent: AgentSpec, path: string): Promise<Buffer | null> {
    const found = await crewContainerOf(this.#engine, this.#options, crewId)
    const [root, inside] = [placesOf(agent).output, within(path)]
    if (!inside || !found) return null
    return found.running
      ? (await this.#connections.channel(crewId)).read(root, inside)
      : readStopped(found.container, root, inside)
  }

  command(crewId: string, agent: AgentSpec, command: AgentCommand): Promise<CommandEnd> {
    return this.#runs.command(crewId, agent, command)
  }

  openShell(crewId: string, agent: AgentSpec, id: string, size: ShellSize): Promise<ShellProgram> {
    return this.#runs.openShell(crewId, agent, id, size)
  }

  startServer(crewId: string, program: ServerProgram): Promise<ServerProcess> {
    return this.#servers.start(crewId, program)
  }

  async clearServers(crewId: string, known: readonly string[]): Promise<void> {
    const found = await crewContainerOf(this.#engine, this.#options, crewId)
    if (found?.running) await this.#servers.clear(crewId, known)
  }

  async deliver(crewId: string, agent: AgentSpec, file: Delivery): Promise<void> {
    await deliverTo(await this.#running(crewId), userOf(agent), placesOf(agent).output, file)
  }

  async withdraw(crewId: string, agent: AgentSpec, folder: string): Promise<void> {
    await withdrawFrom(await this.#running(crewId), userOf(agent), `${placesOf(agent).output}/${folder}`)
  }

  async #running(crewId: string): Promise<Container> {
    const found = await crewContainerOf(this.#engine, this.#options, crewId)
    if (!found?.running) throw notRunning()
    return found.container
  }

  async close(): Promise<void> {
    await this.#servers.close()
    this.#events?.close()
    this.#bridges.close()
    this.#connections.close()
  }

  #drop(crewId: string): void {
    this.#connections.drop(crewId)
    this.#bridges.drop(crewId)
  }

  /** Runs changes of a crew's containers one at a time. */
  #inTurn<T>(crewId: string, work: () => Promise<T>): Promise<T> {
    return this.#turns.take(crewId, work)
  }
}
