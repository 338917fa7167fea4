import type { Static } from 'typebox'
import type { MessagePart } from '#contract/chats'
import type { ChatEvent } from '#contract/frames'
import type { App } from './app.ts'

/** One event of a run, written out once for all who watch. */
export interface LiveFrame {
  /** Its place in the stream: in a chat it grows over all runs. */
  seq: number
  type: string
  /** The event as JSON, without `seq`. */
  body: string
}

export interface Watcher {
  /** Who looks on. */
  user?: string | undefined
  /** Must be quick and must not throw. */
  frame(frame: LiveFrame): void
  /** Nothing will come any more: the stream is gone. */
  closed(): void
}

/** What was asked to be watched, as it stood at that moment; `frame` gets everything after it. */
export interface Watch {
  /** A run is going on. */
  active: boolean
  /** Number of the newest frame, 0 when there never was one. */
  lastSeq: number
  /** Frames after the wanted number that are still held, oldest first. */
  replay: readonly LiveFrame[]
  /** Some of the wanted frames of this run are no longer held. */
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
  /** False where the server runs no agents: nothing can begin or be watched. */
  readonly available: boolean
  /**
   * Frames of a stream after number `after`: those still held at once, the others as they come. Null: only what comes.
   * The stream of a chat is called as the chat is, that of a run without one `run:` and its id.
   */
  watch(stream: string, after: number | null, watcher: Watcher): Watch
  /** Whether this user looks at the stream as it goes on. */
  isWatched(stream: string, user: string): boolean
  /** Ends a run whose row says that its end is wished for, once that is committed. */
  cancel(runId: string): void
  /** All places are taken: a run that begins now waits. */
  readonly full: boolean
  /**
   * Resolves when the run has its terminal entry, or waits for a person without a program; at once when that is so
   * already.
   */
  ended(runId: string): Promise<void>
  /** Ends what an agent has running beside its open runs. */
  endLeft(agentId: string): Promise<void>
  /** The stream is gone with its chat: its watchers are told. */
  forget(stream: string): void
  listFiles(agentId: string, subdir: string, recursive: boolean): Promise<AgentFile[]>
  /** Null when there is no such file. */
  readFile(agentId: string, path: string): Promise<Buffer | null>
}

/** A run, as far as its source knows it. */
export interface SourcedRun {
  id: string
  workspace_id: string
  crew_id: string
  agent_id: string
  agent_name: string
  agent_slug: string
  /** Null when it belongs to no chat. */
  chat_id: string | null
  /** Which of its things the source is asked for; null when it needs none. */
  source_id: string | null
}

/** What the next program of a run is told. */
export interface Prompt {
  text: string
  /** What was said before, oldest first: for clients that keep no session of their own. */
  history(): { role: Said['role']; content: string; tool_summary?: string | null }[]
  /** How those who watch the run see it; null shows them nothing. */
  shown: Extract<ChatEvent, { type: 'user_message' }> | null
}

/** What was said in a run. */
export interface Said {
  role: 'user' | 'assistant' | 'system' | 'tool'
  content: string
  parts?: Static<typeof MessagePart>[]
  toolSummary?: string | null
  metadata?: Record<string, unknown>
}

/** What runs come from: it knows what they are asked, and keeps what was said in them. */
export interface RunSource {
  /** Null when what was asked is gone: the run then fails. */
  prompt(app: App, run: SourcedRun): Prompt | null
  /** Keeps what a program of the run said, within the change that records the program's end. */
  keep(app: App, run: SourcedRun, said: Said): void
  /** What was said in the run, oldest first. */
  kept(app: App, run: SourcedRun): (Said & { ts: string })[]
}
