/** One event of a chat, written out once for all who watch. */
export interface LiveFrame {
  /** Its place in the chat, growing over all runs. */
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
  /** Nothing will come any more: the chat is gone. */
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
  /**
   * Frames of a chat after number `after`: those still held at once, the others as they come. Null: only what comes.
   */
  watch(chatId: string, after: number | null, watcher: Watcher): Watch
  /** Whether this user looks at the chat as it goes on. */
  isWatched(chatId: string, user: string): boolean
  /** Ends a run whose row says that its end is wished for. Called after the change that stored the wish. */
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
  /** The chat is gone: its watchers are told. */
  forget(chatId: string): void
  listFiles(agentId: string, subdir: string, recursive: boolean): Promise<AgentFile[]>
  /** Null when there is no such file. */
  readFile(agentId: string, path: string): Promise<Buffer | null>
}
