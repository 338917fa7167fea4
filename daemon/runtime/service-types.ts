import type { Duplex } from 'node:stream'
import type { Level, Room } from './disk/rules.ts'

/** A crew's container as the runtime sees it at this moment. */
export interface ContainerStatus {
  /**
   * `unknown`: the engine does not answer. `not_configured`: there is no runtime, or the crew never had a container.
   */
  state: 'running' | 'creating' | 'stopped' | 'error' | 'not_configured' | 'unknown'
  containerId: string | null
  /** RFC 3339; null unless running. */
  startedAt: string | null
  /** `stale`: it runs, but from an older specification; the next start makes it anew. */
  contract: 'current' | 'stale' | null
  /** What the engine enforces; null when it enforces nothing or cannot tell. */
  effectiveMemoryMb: number | null
  effectiveCpus: number | null
  /** Members of the crew that differ from what the container was made of. */
  configDrift: string[]
  /** What a person should know of the last start, in sentences. */
  notices: string[]
  error: string | null
}

/** Something on the engine that an installation of Muster made. */
export interface Belonging {
  kind: 'container' | 'network' | 'volume'
  name: string
  crewId: string
  /** This installation made it. */
  own: boolean
}

/** The runtime as a whole, for who operates the server. */
export interface RuntimeCondition {
  kind: 'docker' | 'process'
  engine: { ok: boolean; detail: string }
  /** Images that crews need, and whether the engine has them; null when nobody can tell. */
  images: { name: string; here: boolean | null }[]
  /** What no crew owns, and what other installations made. */
  orphans: Belonging[]
}

/**
 * What requests ask of the reconciler. The wish itself is stored before (`want` of the crews service), so these only
 * say
 * "look now" and wait for the outcome. Failures are problems: `runtime_unavailable` when no engine answers or the start
 * is
 * held back, `runtime_failed` with the engine's reason otherwise.
 */
export interface RuntimeService {
  /** Resolves when the container runs; at once when it already does. */
  start(crewId: string): Promise<ContainerStatus>
  /** Resolves when the container is stopped or absent. */
  stop(crewId: string): Promise<ContainerStatus>
  /** Never throws for an engine that is away. */
  status(crewId: string): Promise<ContainerStatus>
  /** The last lines of the container's own log. */
  logs(crewId: string, tail: number): Promise<string>
  /** Whether the engine has this image; null when nobody can tell. */
  hasImage(image: string): Promise<boolean | null>
  /** Connects to a port inside the crew, wherever its container is now. Rejects when nobody listens there. */
  connect(crewId: string, port: number): Promise<Duplex>
  /** Never throws for an engine that is away; null where there is no runtime. */
  condition(): Promise<RuntimeCondition | null>
}

/** How full the disks are, for who operates the server. */
export interface DiskCondition {
  /** Bytes that a crew may use; 0 when there is no limit. */
  limit: number
  /** Bytes that crews must leave; 0 when nothing is watched. */
  reserve: number
  /** The disk of the data folder. */
  machine: Room & { level: Level }
  /** Crews that were counted since the daemon began, fullest first. */
  crews: { slug: string; level: Level; used: string /** Command that leads to its data. */; tidy: string }[]
}

/** What keeps crews from filling the disk. */
export interface DiskService {
  /**
   * Waits while this machine's disk is nearly full, telling `waiting` why. Resolves with why the crew may begin nothing
   * at all, or null when
   * it may, or when the signal came.
   */
  room(crewId: string, waiting: (why: string) => void, signal: AbortSignal): Promise<string | null>
  /** A run of the crew begins: what it writes is measured against what the crew's disk holds now. */
  begun(crewId: string): Promise<void>
  /** Why a crew is being stopped, when that is because of the disk. */
  reason(crewId: string): string | null
  /** What people should know of a crew's data, in a sentence; null when there is nothing to say. */
  warning(crewId: string): string | null
  /** Null where no crew works. */
  condition(): DiskCondition | null
}
