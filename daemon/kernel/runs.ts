import type { Static } from 'typebox'
import type { MessagePart } from '#contract/chats'
import type { ChatEvent } from '#contract/frames'
import type { App } from './app.ts'

/** One event of a run, serialized once for all watchers. */
export interface LiveFrame {
  /** Its number in the stream: in a chat it grows over all runs. */
  seq: number
  type: string
  /** The event as JSON, without `seq`. */
  body: string
}

export interface Watcher {
  /** The user who watches. */
  user?: string | undefined
  /** Must be quick and must not throw. */
  frame(frame: LiveFrame): void
  /** The stream was deleted: no frame will follow. */
  closed(): void
}

/** State of a stream when watching began; `frame` receives everything after it. */
export interface Watch {
  /** A run is in progress. */
  active: boolean
  /** Number of the newest frame, 0 before the first. */
  lastSeq: number
  /** Buffered frames after the requested number, oldest first. */
  replay: readonly LiveFrame[]
  /** Some of the requested frames of this run are no longer buffered. */
  truncated: boolean
  close(): void
}

export interface AgentFile {
  path: string
  name: string
  size: number
  is_dir: boolean
  mod_time: string
}

/** Running agents, as features and streams see them. */
export interface Runs {
  /** False where the server runs no agents: nothing can be started or watched. */
  readonly available: boolean
  /**
   * Watches a stream from after frame number `after`, or only new frames if it is null. The stream of a chat has the
   * chat's id, that of a run without a chat is `run:<run id>`.
   */
  watch(stream: string, after: number | null, watcher: Watcher): Watch
  /** Whether this user is watching the stream. */
  isWatched(stream: string, user: string): boolean
  /** Ends a run whose row asks for its end, once that is committed. */
  cancel(runId: string): void
  /** The limit of concurrent runs is reached: a new run waits. */
  readonly full: boolean
  /** Resolves once the run has its terminal entry, or waits for a person without a program. */
  ended(runId: string): Promise<void>
  /** Ends processes of an agent that belong to no open run. */
  endLeft(agentId: string): Promise<void>
  /** Drops the stream of a deleted chat and tells its watchers. */
  forget(stream: string): void
  listFiles(agentId: string, subdir: string, recursive: boolean): Promise<AgentFile[]>
  /** Null when there is no such file. */
  readFile(agentId: string, path: string): Promise<Buffer | null>
}

/** A run, as its source sees it. */
export interface SourcedRun {
  id: string
  workspace_id: string
  crew_id: string
  agent_id: string
  agent_name: string
  agent_slug: string
  /** Null when it belongs to no chat. */
  chat_id: string | null
  /** Id of the object in the source that the run comes from; null when the source has none. */
  source_id: string | null
}

/** The prompt for the next program of a run. */
export interface Prompt {
  text: string
  /** Earlier messages, oldest first: for clients that keep no session of their own. */
  history(): { role: Said['role']; content: string; tool_summary?: string | null }[]
  /** The prompt as watchers of the run see it; null shows nothing. */
  shown: Extract<ChatEvent, { type: 'user_message' }> | null
}

/** A message of a run. */
export interface Said {
  role: 'user' | 'assistant' | 'system' | 'tool'
  content: string
  parts?: Static<typeof MessagePart>[]
  toolSummary?: string | null
  metadata?: Record<string, unknown>
}

/** Where runs come from: gives their prompts and keeps their messages. */
export interface RunSource {
  /** Null when the prompt no longer exists: the run then fails. */
  prompt(app: App, run: SourcedRun): Prompt | null
  /** Stores a message of a program, within the change that records the program's end. */
  keep(app: App, run: SourcedRun, said: Said): void
  /** The stored messages of the run, oldest first. */
  kept(app: App, run: SourcedRun): (Said & { ts: string })[]
}
