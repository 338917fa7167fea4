/** What a runtime is: all that the daemon asks of the engine, or of processes, that runs crews. */
import type { Duplex, Readable, Writable } from 'node:stream'
import type { Destination } from '#kernel/outbound/destinations'
import type { Room } from './disk/rules.ts'
import type { Usage } from './disk/usage.ts'
import type { Answers, MarksRequest } from './marks/wire.ts'
import type { Belonging } from './service-types.ts'

/** The interface of runtimes, which run agents in Docker containers or as local processes. */

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

/** An agent in the container: its slug names its folders, which its uid (20001 and up, unique in the crew) owns. */
export interface AgentSpec {
  agentId: string
  slug: string
  uid: number
}

/** An agent's folders as its own processes see them. Adapters build paths and addresses only from these. */
export interface AgentPlaces {
  /** HOME; private to the agent. */
  home: string
  /** Working directory of runs, whose files `listFiles` and `readFile` serve. */
  output: string
  workspace: string
  /** In memory only; private to the agent. */
  secrets: string
  crewShared: string
  workspaceShared: string
  /** Folder of the agent's runs. Each run has a subfolder with its id, which is removed with the run's spool. */
  runs: string
  /** Base address of the crew's sidecar, such as `http://127.0.0.1:9119`; also the HTTP proxy. */
  sidecarUrl: string
}

export interface RunSpec {
  runId: string
  crewId: string
  agent: AgentSpec
  /** Program and arguments, without secrets and prompt. */
  argv: string[]
  /**
   * In addition to the runtime's own: HOME, PATH, LANG, TZ, SVC_RUN_ID, SVC_OUTPUT_DIR, SVC_SECRETS_DIR and
   * SVC_CREW_SHARED.
   */
  env: Record<string, string>
  /** Written before the program starts, owned by the agent; absolute paths inside the crew's folders. */
  files: RunFile[]
  /** The program's standard input. */
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
  content: string | Buffer
  /** Permission bits, by default 0o600. */
  mode?: number
  /** It is a link that leads there, and has no content. */
  link?: string
}

/**
 * How a run's program ended. `lost`: the process is gone without a record. A shell reports death by signal n as 128+n,
 * so a program that exits with 143 reads as SIGTERM.
 */
export type RunEnd = { kind: 'exit'; code: number; timedOut: boolean } | { kind: 'signal'; signal: string } | Lost

export interface Lost {
  kind: 'lost'
  reason: string
  /** The program was never started, so the run may be started again once its spool is discarded. */
  never?: true
}

export interface FollowSink {
  /** Bytes of standard output; `offset` is the position of the first byte in the run's output. */
  data(chunk: Buffer, offset: number): void
  /** Called once, after the last `data`. `stderr` is at most its last 8 KiB. */
  end(end: RunEnd, stderr: string): void
  /** The channel failed (container or engine gone); the caller follows again from its last offset. */
  broken(error: Error): void
}

export interface Follow {
  close(): void
}

/** A short program that runs as an agent, beside its runs. */
export interface AgentCommand {
  argv: string[]
  env?: Record<string, string>
  stdin?: Buffer
  /** Seconds after which it is ended. */
  seconds: number
  mostBytes?: number
  /** No run of the agent starts or ends meanwhile, so that nothing ends the program early. */
  alone?: true
}

export interface CommandEnd {
  code: number
  stdout: string
  stderr: string
}

/** A server that is spoken with over its standard streams. */
export interface ServerProgram {
  serverId: string
  argv: string[]
  /** All that it gets beside PATH, HOME and what leads it through the sidecar. */
  env: Record<string, string>
  /** It is only tried: its folder is its own, and goes with it. */
  trial?: true
  /** It reaches the allowed domains alone, also where its crew is free. */
  restricted?: true
}

export interface ServerProcess {
  input: Writable
  output: Readable
  /** Settles when it has ended, however that came; `stderr` is at most its last 8 KiB. */
  ended: Promise<{ code: number | null; stderr: string }>
  /** Ends it with all of its processes; resolves when done. */
  end(): Promise<void>
  /** Hosts that it tried to reach lately, and that the crew's network policy does not allow. */
  deniedHosts(): string[]
}

export interface ShellSize {
  rows: number
  cols: number
}

/** A shell at a terminal of its own. */
export interface ShellProgram {
  /** What is typed and what is shown; closes when the shell ends. */
  stream: Duplex
  resize(size: ShellSize): Promise<void>
  close(): void
}

export interface ObservedCrew {
  crewId: string
  /** From its label; null without one. */
  workspaceId: string | null
  /** A crew without a container is absent from the list. */
  state: 'running' | 'stopped' | 'creating' | 'error'
  containerId: string
  /** Digest of the CrewSpec that the container was created from. */
  contract: string
  startedAt: string | null
  /** True when its network and sidecar exist and are healthy. */
  healthy: boolean
  /** The limits and image of the container; null where limits are not enforced. */
  made: { memoryMb: number; cpus: number; image: string } | null
}

/** The image of a crew's container. */
export interface CrewImage {
  /** As the crew's settings name what it is built on. */
  name: string
  /** What the engine calls it: the digest of its configuration. */
  id: string
}

/** The file system that holds a crew's data. */
export interface CrewRoom extends Room {
  /** Its device number on its machine. */
  device: number
  /** Whether it is on this machine. */
  local: boolean
}

/** A write in a crew's shared folders, as far as the owner of the file tells of it. */
export interface SeenWrite {
  /**
   * `new`: the owner created or replaced the file. `in`: somebody wrote in place into the owner's file. `old`: it was
   * found so when the folder was first read.
   */
  how: 'new' | 'in' | 'old'
  /** The owner of the file. */
  uid: number
  /** Milliseconds since 1970, to about a second. */
  at: number
  /** Absolute, as agents see it. Agents choose it: it may hold any character but NUL. */
  path: string
}

/** What is not noticed: parts of the folders, or what happened meanwhile. */
export interface WriteGap {
  what: 'folders' | 'watches' | 'deep' | 'entries' | 'overflow' | 'left'
  /** The first folder that is not watched. */
  path?: string
  /** How many writes were left out. */
  count?: number
}

export interface WriteSink {
  /** The folders are watched from now on. */
  ready(folders: number): void
  write(seen: SeenWrite): void
  gap(gap: WriteGap): void
  /** Called once, unless it was closed: nothing is watched any more. */
  ended(reason: string): void
}

export interface WriteWatch {
  close(): void
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
  /** Lower numbers first; equal numbers are used in turn. */
  priority: number
  /** All that it may be used for without asking the daemon; absent: everything. */
  scopes?: readonly Destination[]
}

/** The sidecar's configuration, sent as a whole over a private channel, at start and at every change. */
export interface SidecarConfig {
  network: NetworkPolicy
  /** By the dummy key that an agent was given, which identifies the agent. */
  agents: Record<string, SidecarAgent>
  /** Upstream base URLs by provider, from the server's configuration; by default the vendor's. */
  upstreams: Record<string, string>
  /** Decoys of the crew: what holds one is sent nowhere. */
  decoys?: { id: string; value: string }[]
  /** Name servers, `address` or `address:port`; by default those of the sidecar's container. */
  resolvers?: string[]
}

export interface SidecarAgent {
  agentId: string
  slug: string
  /** If given, the dummy key is valid only from this uid, and denials of this uid are reported as the agent's. */
  uid?: number
  /** It works on what another program sent: only the allowed domains, whatever the crew's network policy. */
  restricted?: boolean
  credentials: ModelCredential[]
}

/** Reports of a sidecar: denied connections, rate-limited credentials, and what credentials are used for. */
export type SidecarReport =
  | {
      type: 'egress_denied'
      agentId: string | null
      host: string
      port: number
      reason: string
      /** Denials suppressed since the last report, so that an agent cannot flood the journal. */
      unreported: number
    }
  /** What was to be sent held a decoy. */
  | { type: 'decoy_sent'; tripwireId: string; agentId: string | null; host: string }
  | { type: 'credential_limited'; credentialId: string; retryAfterSeconds: number }
  | {
      /** A call went on with the next credential. */
      type: 'credential_failover'
      agentId: string
      credentialId: string
      nextId: string
      reason: Unfit
      status: number
    }
  | ({
      /** What a credential was put into requests for. */
      type: 'credential_used'
      agentId: string
      credentialId: string
      uses: number
    } & Destination)

/** Why a provider would not take a credential: the key itself, what is left on its account, or too many calls. */
export type Unfit = 'refused' | 'quota' | 'limited'

/** An agent's call to the daemon through its sidecar. */
export interface SidecarCall {
  /** Set by the sidecar. A restarted daemon gets the call again with the same id. */
  id: string
  agentId: string
  /** From the agent, so it has to be verified. */
  runId: string | null
  /** Path of the call, such as `/escalate`. */
  route: string
  body: unknown
}

export interface SidecarAnswer {
  status: number
  body: unknown
}

/** Answers a call; `signal` aborts when the caller no longer waits. */
export type SidecarListener = (crewId: string, call: SidecarCall, signal: AbortSignal) => Promise<SidecarAnswer>

export interface FileEntry {
  path: string
  name: string
  size: number
  is_dir: boolean
  mod_time: string
}

/** A file for an agent. */
export interface Delivery {
  /** Below the agent's output folder; made when it does not exist. */
  folder: string
  name: string
  size: number
  content: () => Readable
}

export interface Runtime {
  readonly kind: 'docker' | 'process'
  /** Checks quickly whether the engine answers; never throws. */
  ping(): Promise<{ ok: boolean; detail: string }>
  /** All crews of this installation that exist on the engine, or one of them. */
  observe(crewId?: string): Promise<ObservedCrew[]>
  /** Everything on the engine that any installation of Muster created. */
  belongings(): Promise<Belonging[]>
  /** The image in which a crew works now; null where there is none. */
  imageOf(crewId: string): Promise<CrewImage | null>
  /** Whether the image is present; null when unknown. */
  hasImage(image: string): Promise<boolean | null>
  /** Digest of a container that is created from this specification. */
  contractOf(spec: CrewSpec): string
  /** Creates and starts image, network, sidecar, container and agents' folders where they do not exist. */
  ensure(spec: CrewSpec, progress: Progress): Promise<void>
  /** With `now`, processes get no time to end by themselves. */
  stop(crewId: string, options?: { now: boolean }): Promise<void>
  /** Measures the crew's data, running or not, which may take long; null without data. */
  usage(spec: CrewSpec): Promise<Usage | null>
  /** The file system that holds the crew's data, at once; null when unknown. */
  room(spec: CrewSpec): Promise<CrewRoom | null>
  /**
   * Marks the files in the folders of a crew, compares them and puts them back. Files are put back only while the crew
   * does not run. Ask one thing at a time of a crew. Rejects with a RuntimeError that says why it was not done.
   */
  marks<R extends MarksRequest>(spec: CrewSpec, request: R, seconds: number): Promise<Answers[R['op']]>
  /** Removes container, sidecar and network; with `data`, the volumes too. */
  remove(crewId: string, options: { data: boolean }): Promise<void>
  configureSidecar(crewId: string, config: SidecarConfig): Promise<void>
  onSidecarReport(listener: (crewId: string, report: SidecarReport) => void): void
  /** Sets the listener for agents' calls. Without one, calls are refused with 503. */
  onSidecarCall(listener: SidecarListener): void
  /** Adds a listener for crews whose containers may have started or stopped by themselves. */
  onChange(listener: (crewId: string) => void): void
  places(crewId: string, agent: AgentSpec): AgentPlaces
  /** Resolves once the program is running. A run id can be started once, and never after `endRun`. */
  startRun(spec: RunSpec): Promise<void>
  /** Ends the run (TERM, 10 s, KILL) and all processes of its agent that belong to no open run; resolves when done. */
  endRun(run: RunRef): Promise<void>
  /** Ends at once all processes of an agent that belong to no open run; `ended` no longer counts as open. */
  endLeft(crewId: string, agent: AgentSpec, ended?: string): Promise<void>
  /** Ends all processes and removes the secrets of an agent that left; with `data` also its folders and spools. */
  clear(crewId: string, agent: AgentSpec, options: { data: boolean }): Promise<void>
  /** Sets the function that lists the ids of an agent's open runs. Without one, no run counts as open. */
  onOpenRuns(answer: (agentId: string) => string[]): void
  /** Reads a run's output from `offset`, live until it ends. Works after a restart of the daemon. */
  follow(run: RunRef, offset: number, sink: FollowSink): Follow
  /** Removes a finished run's spool. */
  discardRun(run: RunRef): Promise<void>
  /**
   * Watches the folders that the agents of a running crew share. Files that were changed after `since` (milliseconds
   * since 1970) count as written. What one user alone writes is not told.
   */
  watchWrites(crewId: string, since: number, sink: WriteSink): WriteWatch
  /** Connects to a port on the crew's loopback. Rejects with a RuntimeError when no process listens there. */
  connect(crewId: string, port: number): Promise<Duplex>
  logs(crewId: string, tail: number): Promise<string>
  /** Files below an agent's own output folder; `subdir` is relative and never leaves it. */
  listFiles(crewId: string, agent: AgentSpec, subdir: string, recursive: boolean): Promise<FileEntry[]>
  readFile(crewId: string, agent: AgentSpec, path: string): Promise<Buffer | null>
  /** Runs a short program as an agent. Rejects with a RuntimeError when the crew does not run. */
  command(crewId: string, agent: AgentSpec, command: AgentCommand): Promise<CommandEnd>
  /** Opens a shell as an agent. `id` counts as an open run as long as `onOpenRuns` lists it. */
  openShell(crewId: string, agent: AgentSpec, id: string, size: ShellSize): Promise<ShellProgram>
  /** Starts a server beside the agents, which ends with the crew at the latest. Rejects with a RuntimeError. */
  startServer(crewId: string, program: ServerProgram): Promise<ServerProcess>
  /** Ends servers that nobody here started, and removes what servers left that are not among `known`. */
  clearServers(crewId: string, known: readonly string[]): Promise<void>
  /** Writes a file as the agent, whole or not at all, over one of its name. The crew must be running. */
  deliver(crewId: string, agent: AgentSpec, file: Delivery): Promise<void>
  /** Removes a folder below the agent's output folder, as the agent. The crew must be running. */
  withdraw(crewId: string, agent: AgentSpec, folder: string): Promise<void>
  close(): Promise<void>
}
