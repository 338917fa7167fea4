import type { Buffer } from 'node:buffer'
import type { Duplex } from 'node:stream'
import type { Adapter } from '#contract/adapters'
import type { AgentFrame } from '#contract/frames'
import type { Level, Room } from './disk/rules.ts'
import type { Changes, Difference } from './marks/wire.ts'
import type { ServerProcess, ServerProgram } from './types.ts'

/** The current state of a crew's container. */
export interface ContainerStatus {
  /** `unknown`: the engine does not answer. `not_configured`: no runtime, or the crew never had a container. */
  state: 'running' | 'creating' | 'stopped' | 'error' | 'not_configured' | 'unknown'
  containerId: string | null
  /** RFC 3339; null unless running. */
  startedAt: string | null
  /** `stale`: it was created from an older specification; the next start replaces it. */
  contract: 'current' | 'stale' | null
  /** The enforced limit; null when none is enforced or it is unknown. */
  effectiveMemoryMb: number | null
  effectiveCpus: number | null
  /** Members of the crew that differ from those of the container. */
  configDrift: string[]
  /** Sentences for people about the last start. */
  notices: string[]
  error: string | null
}

/** An object on the engine that an installation of Muster created. */
export interface Belonging {
  kind: 'container' | 'network' | 'volume'
  name: string
  crewId: string
  /** Whether this installation created it. */
  own: boolean
}

/** State of the runtime, for operators. */
export interface RuntimeCondition {
  kind: 'docker' | 'process'
  engine: { ok: boolean; detail: string }
  /** Images that crews need, and whether the engine has them; null when unknown. */
  images: { name: string; here: boolean | null }[]
  /** Objects that no crew owns, and objects of other installations. */
  orphans: Belonging[]
}

/**
 * The reconciler, as requests use it. The desired state is stored before (`want` of the crews service), so these
 * methods only trigger it and wait for the outcome. Failures are problems: `runtime_unavailable` when no engine answers
 * or the start is delayed, `runtime_failed` with the engine's reason otherwise.
 */
export interface RuntimeService {
  /** Resolves when the container runs. */
  start(crewId: string): Promise<ContainerStatus>
  /** Resolves when the container is stopped or absent. */
  stop(crewId: string): Promise<ContainerStatus>
  /** Does not throw when the engine is down. */
  status(crewId: string): Promise<ContainerStatus>
  /** The last lines of the container's own log. */
  logs(crewId: string, tail: number): Promise<string>
  /** Whether the engine has this image; null when unknown. */
  hasImage(image: string): Promise<boolean | null>
  /** What each client is and can, and whether a crew that runs has it. Does not throw when the engine is down. */
  adapters(crewId: string | null): Promise<Adapter[]>
  /** Connects to a port within the crew. Rejects when no process listens there. */
  connect(crewId: string, port: number): Promise<Duplex>
  /** Starts a server over standard streams in a crew that runs. Rejects with the reason. */
  startServer(crewId: string, program: ServerProgram): Promise<ServerProcess>
  /** Does not throw when the engine is down; null without a runtime. */
  condition(): Promise<RuntimeCondition | null>
}

/** State of the disks, for operators. */
export interface DiskCondition {
  /** Bytes that a crew may use; 0 for no limit. */
  limit: number
  /** Bytes that crews must leave free; 0 when this is turned off. */
  reserve: number
  /** The disk of the data folder. */
  machine: Room & { level: Level }
  /** Crews that were measured since the daemon started, fullest first. */
  crews: { slug: string; level: Level; used: string /** Command that gives access to its data. */; tidy: string }[]
}

/** How the shared folders of a crew are watched. */
export interface CollisionWatch {
  state: 'idle' | 'starting' | 'watching' | 'off'
  reason: string | null
  /** Milliseconds since 1970. */
  since: number | null
  folders: number
  gaps: { what: string; says: string }[]
}

/** Notices agents of a crew that write the same files. */
export interface CollisionService {
  watch(crewId: string): CollisionWatch
  /** Hears what a run's client reports, in its order. */
  saw(run: { id: string; crew_id: string }, folder: string, frame: AgentFrame): void
}

/** A run, as far as judging its calls needs it. */
export interface MonitoredRun {
  id: string
  workspace_id: string
  crew_id: string
  agent_id: string
  chat_id: string | null
}

/** A call of a tool, as its client names it. */
export interface HeldCall {
  call_id: string
  tool_name: string
  input: unknown
}

/** Has the calls of tools judged that agents make. */
export interface MonitorService {
  /** Hears what a run's client reports, in its order. `holds`: the client asks before each of its calls. */
  saw(run: MonitoredRun, holds: boolean, frame: AgentFrame): void
  /** Resolves, within the time that a call may be held, with why it may not be made; with null when it may. */
  hold(run: MonitoredRun, call: HeldCall): Promise<string | null>
}

/** Notices decoys that agents touch, and ends their runs. */
export interface TripwireService {
  /** Looks through what a run prints; null where its crew has no decoys. */
  reader(run: { id: string; crew_id: string; agent_id: string }): ((chunk: Buffer) => void) | null
  /** Looks through what an agent asks for; true where that is not to be carried out. */
  heard(crewId: string, agentId: string, runId: string | null, route: string, body: unknown): boolean
  /** A sidecar found a decoy in what was to be sent. */
  sent(crewId: string, found: { tripwireId: string; agentId: string | null; host: string }): void
}

/** Enforces disk limits. */
export interface DiskService {
  /**
   * Waits while this machine's disk is nearly full, and calls `waiting` with the reason. Resolves with the reason why
   * the crew may not start runs, or with null when it may or the signal aborts.
   */
  room(crewId: string, waiting: (why: string) => void, signal: AbortSignal): Promise<string | null>
  /** Records the state of the crew's disk when a run begins, against which later writes are measured. */
  begun(crewId: string): Promise<void>
  /** Why a crew is being stopped because of the disk; else null. */
  reason(crewId: string): string | null
  /** A sentence for people about a crew's data; null without a reason to warn. */
  warning(crewId: string): string | null
  /** Null without crews. */
  condition(): DiskCondition | null
}

/** Marks the files of crews for checkpoints, and puts them back. Failures of the runtime are problems. */
export interface MarkService {
  /** Whether checkpoints mark files on this server. */
  readonly available: boolean
  /** Marks the files for a checkpoint, which then says how that went; does not throw. */
  mark(checkpointId: string): Promise<void>
  changes(crewId: string, markId: string, limit: number): Promise<Changes>
  diff(crewId: string, markId: string, path: string): Promise<Difference>
  /** Carries out a stored rewind; resolves when it is over, or left to a later daemon. */
  rewind(rewindId: string): Promise<void>
  /** Resolves once no rewind of the crew is open, or the signal aborts. */
  released(crewId: string, waiting: (why: string) => void, signal: AbortSignal): Promise<void>
  /** Drops the marks of a crew that no checkpoint names, some time. */
  prune(crewId: string): void
}
