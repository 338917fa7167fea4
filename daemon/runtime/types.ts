import type { Duplex } from 'node:stream'
import type { Room } from './disk/rules.ts'
import type { Usage } from './disk/usage.ts'
import type { Belonging } from './service-types.ts'

/** What the rest of the daemon knows of a runtime: Docker containers or plain local processes behind one interface. */

export interface CrewSpec {
  crewId: string
  slug: string
  workspaceId: string
  /** Image that holds the agents' command-line clients; empty means the default crew image. */
  image: string
  memoryMb: number
  cpus: number
  network: NetworkPolicy
  agents: AgentSpec[]
}

export interface NetworkPolicy {
  mode: 'restricted' | 'free'
  /** Exact hosts or `*.host`; only read when restricted. */
  allowedDomains: string[]
  allowPrivateEndpoints: boolean
}

/**
 * An agent's place in the container: its slug names its folders, its uid (20001 and up, unique in the crew) owns them.
 */
export interface AgentSpec {
  agentId: string
  slug: string
  uid: number
}

/** Where an agent's folders are, as its own processes see them: adapters build paths and addresses from these alone. */
export interface AgentPlaces {
  /** HOME; nobody else can look inside. */
  home: string
  /** Working directory of runs; what lies here is served by `listFiles` and `readFile`. */
  output: string
  workspace: string
  /** In memory only; nobody else can look inside. */
  secrets: string
  crewShared: string
  workspaceShared: string
  /**
   * Folder of the agent's runs. Each has its own below, named by the run's id, which goes away with the run's spool.
   */
  runs: string
  /** Base address of the crew's sidecar, such as `http://127.0.0.1:9119`; also the HTTP proxy. */
  sidecarUrl: string
}

export interface RunSpec {
  runId: string
  crewId: string
  agent: AgentSpec
  /** Program and arguments; carries no secret and no prompt. */
  argv: string[]
  /**
   * Beside HOME, PATH, LANG, TZ, SVC_RUN_ID, SVC_OUTPUT_DIR, SVC_SECRETS_DIR and SVC_CREW_SHARED, which the runtime
   * sets.
   */
  env: Record<string, string>
  /** Written before the program starts, owned by the agent; absolute paths inside the crew's folders. */
  files: RunFile[]
  /** What the program reads on standard input. */
  stdin: string
  /** Seconds after which the process group is ended (TERM, 10 s, KILL). */
  timeoutSeconds: number
}

export interface RunRef {
  crewId: string
  runId: string
  agent: AgentSpec
}

export interface RunFile {
  path: string
  content: string
  /** Permission bits, 0o600 unless stated. */
  mode?: number
}

/**
 * How a run's program ended. `lost`: the process is gone and left no record.
 * A shell reports a program that died of signal n as 128+n, so a program that itself exits 143 reads as SIGTERM.
 */
export type RunEnd = { kind: 'exit'; code: number; timedOut: boolean } | { kind: 'signal'; signal: string } | Lost

export interface Lost {
  kind: 'lost'
  reason: string
  /**
   * Its program was not even started: nothing was done, and the run may be started again once its spool is discarded.
   */
  never?: true
}

export interface FollowSink {
  /** Bytes of standard output; `offset` is the position of the first of them in the run's whole output. */
  data(chunk: Buffer, offset: number): void
  /** Called once, after the last `data`. `stderr` is at most its last 8 KiB. */
  end(end: RunEnd, stderr: string): void
  /** The channel broke (container or engine gone); the caller follows again from its last offset. */
  broken(error: Error): void
}

export interface Follow {
  close(): void
}

export interface ObservedCrew {
  crewId: string
  /** As its label says; null where nothing says so. */
  workspaceId: string | null
  /** `missing` is never reported: what has no container is absent from the list. */
  state: 'running' | 'stopped' | 'creating' | 'error'
  containerId: string
  /** Digest of the CrewSpec that the container was made from. */
  contract: string
  startedAt: string | null
  /** True when its network and sidecar are there and healthy. */
  healthy: boolean
  /** What the container was made with; null where nothing is enforced. */
  made: { memoryMb: number; cpus: number; image: string } | null
}

/** The file system that holds a crew's data. */
export interface CrewRoom extends Room {
  /** Its number on the machine that it is on. */
  device: number
  /** That machine is this one. */
  local: boolean
}

export interface Progress {
  step(name: string, detail?: string): void
}

export interface ModelCredential {
  credentialId: string
  provider: string
  /** `api_key` is sent as the vendor's key header, `oauth` as a bearer token. */
  kind: 'api_key' | 'oauth'
  token: string
  /** Lower numbers first; equal numbers take turns. */
  priority: number
}

/** Everything the crew's sidecar holds in memory. Sent whole, over a private channel, at start and at every change. */
export interface SidecarConfig {
  network: NetworkPolicy
  /** Keyed by the dummy key that an agent was given, which is how an agent proves who it is. */
  agents: Record<string, SidecarAgent>
  /** Upstream base URLs by provider, from the server's configuration; the vendor's own when absent. */
  upstreams: Record<string, string>
  /** Name servers to ask, `address` or `address:port`; those of the sidecar's own container when absent. */
  resolvers?: string[]
}

export interface SidecarAgent {
  agentId: string
  slug: string
  /**
   * When given, the dummy key is good only from this uid, and what the uid is refused is reported under the agent's
   * name.
   */
  uid?: number
  credentials: ModelCredential[]
}

/** What a sidecar reports on its own: refused connections, spent credentials. */
export type SidecarReport =
  | {
      type: 'egress_denied'
      agentId: string | null
      host: string
      port: number
      reason: string
      /** Refusals kept back since the last report, for an agent must not be able to flood the journal. */
      unreported: number
    }
  | { type: 'credential_limited'; credentialId: string; retryAfterSeconds: number }

/** What an agent asks of the daemon through its sidecar. */
export interface SidecarCall {
  /** Made by the sidecar. A daemon that was restarted meanwhile is asked again under the same id. */
  id: string
  agentId: string
  /** As the agent says: not to be believed before it is compared. */
  runId: string | null
  /** Where the agent sent it, such as `/escalate`. */
  route: string
  body: unknown
}

export interface SidecarAnswer {
  status: number
  body: unknown
}

/** Answers a call; `signal` says that nobody waits for the answer any more. */
export type SidecarListener = (crewId: string, call: SidecarCall, signal: AbortSignal) => Promise<SidecarAnswer>

export interface FileEntry {
  path: string
  name: string
  size: number
  is_dir: boolean
  mod_time: string
}

export interface Runtime {
  readonly kind: 'docker' | 'process'
  /** Answers quickly whether the engine is there; never throws. */
  ping(): Promise<{ ok: boolean; detail: string }>
  /** Every crew container that carries this installation's labels, or those of one crew. */
  observe(crewId?: string): Promise<ObservedCrew[]>
  /** Everything that any installation of Muster made here. */
  belongings(): Promise<Belonging[]>
  /** Whether a crew could be made from this image without fetching it; null when nobody can tell. */
  hasImage(image: string): Promise<boolean | null>
  /** Digest that a container made from this specification would carry. */
  contractOf(spec: CrewSpec): string
  /**
   * Brings image, network, sidecar and container up and the agents' folders into being; does nothing where they are.
   */
  ensure(spec: CrewSpec, progress: Progress): Promise<void>
  /** With `now` nothing in it is given time to end by itself. */
  stop(crewId: string, options?: { now: boolean }): Promise<void>
  /** Counts what the crew has stored, running or not, which may take long; null when it has stored nothing. */
  usage(spec: CrewSpec): Promise<Usage | null>
  /** How full the disk is that holds the crew's data, which is told at once; null when nobody can tell now. */
  room(spec: CrewSpec): Promise<CrewRoom | null>
  /** Removes container, sidecar and network; with `data`, the volumes too. */
  remove(crewId: string, options: { data: boolean }): Promise<void>
  configureSidecar(crewId: string, config: SidecarConfig): Promise<void>
  onSidecarReport(listener: (crewId: string, report: SidecarReport) => void): void
  /** There is one who answers; until then calls are refused with 503. */
  onSidecarCall(listener: SidecarListener): void
  /** Something of a crew came up or went away without our asking; a hint to look, not a promise. */
  onChange(listener: (crewId: string) => void): void
  places(crewId: string, agent: AgentSpec): AgentPlaces
  /** Resolves once the program is going; a run id starts once, and never after `endRun`. */
  startRun(spec: RunSpec): Promise<void>
  /**
   * Ends the run (TERM, 10 s, KILL) and whatever else of its agent belongs to no open run; resolves when all that is
   * gone.
   */
  endRun(run: RunRef): Promise<void>
  /** Ends at once what an agent has running beside its open runs; the run `ended` is none of them. */
  endLeft(crewId: string, agent: AgentSpec, ended?: string): Promise<void>
  /**
   * Ends all that an agent has running and takes its secrets away; with `data` its folders and spools too. For one who
   * left the crew.
   */
  clear(crewId: string, agent: AgentSpec, options: { data: boolean }): Promise<void>
  /**
   * There is one who knows which runs of an agent go on, by the ids that they were started with; until then none does.
   */
  onOpenRuns(answer: (agentId: string) => string[]): void
  /** Reads a run's output from `offset` on, live until it ends. Works after a restart of the daemon. */
  follow(run: RunRef, offset: number, sink: FollowSink): Follow
  /** Removes a finished run's spool. */
  discardRun(run: RunRef): Promise<void>
  /**
   * Connects to a port on the crew's own loopback. Rejects with a RuntimeError when nobody of the crew listens there.
   */
  connect(crewId: string, port: number): Promise<Duplex>
  logs(crewId: string, tail: number): Promise<string>
  /** Files below an agent's own output folder; `subdir` is relative and never leaves it. */
  listFiles(crewId: string, agent: AgentSpec, subdir: string, recursive: boolean): Promise<FileEntry[]>
  readFile(crewId: string, agent: AgentSpec, path: string): Promise<Buffer | null>
  close(): Promise<void>
}
