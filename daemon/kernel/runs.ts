import type { Readable } from 'node:stream'
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

/** Where an agent's files lie, as it sees them. */
export interface AgentFolders {
  output: string
  crewShared: string
  workspaceShared: string
  secrets: string
}

/** `text`: the content, deflated, in base64. `none`: there is no file, or what leads to it is a link. */
export type ReadText = { state: 'text'; text: string } | { state: 'binary' | 'too_large' | 'none' | 'denied' }

/** When a file may be saved. */
export interface Conditions {
  /** Entity tags of which the file must have one, `*` for any file. */
  match?: string[] | null
  /** There must be no such file. */
  absent?: boolean
}

/** `changed`: a condition does not hold. The others are why the agent itself could not write it. */
export type SavedFile =
  | { status: 'saved' | 'unchanged'; etag: string; created: boolean }
  | { status: 'changed'; etag: string | null }
  | { status: 'folder' | 'link' | 'denied' | 'full' }

export interface Commit {
  hash: string
  message: string
  author: string
  date: string
  patch?: string
}

/** A file for an agent. */
export interface AgentDelivery {
  folder: string
  name: string
  size: number
  content: () => Readable
}

/** A short program that runs beside the runs of its agent. */
export interface ShortProgram {
  argv: string[]
  env?: Record<string, string>
  stdin?: Buffer
  /** Seconds after which it is ended; its code is 124 then. */
  seconds: number
  mostBytes?: number
}

export interface ProgramEnd {
  code: number
  stdout: string
  stderr: string
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
  /** Whether the client of this run can be told something while it works. */
  steers(runId: string): boolean
  /** Resolves once the run has its terminal entry, or waits for a person without a program. */
  ended(runId: string): Promise<void>
  /** Resolves once what an ended run left is on record. */
  settled(runId: string): Promise<void>
  /** Ends processes of an agent that belong to no open run. */
  endLeft(agentId: string): Promise<void>
  /** Drops the stream of a deleted chat, tells its watchers, and removes what clients kept for it. */
  forget(stream: string): void
  listFiles(agentId: string, subdir: string, recursive: boolean): Promise<AgentFile[]>
  /** Null when there is no such file. */
  readFile(agentId: string, path: string): Promise<Buffer | null>
  /** Null without a crew. */
  foldersOf(agentId: string): AgentFolders | null
  /** Reads the text at an absolute path, as the agent; null while its crew does not run. */
  readText(agentId: string, path: string, mostBytes: number): Promise<ReadText | null>
  /** Saves a file in the agent's folder, as the agent: whole or not at all, and through no link. */
  saveFile(agentId: string, path: string, content: Buffer, conditions?: Conditions): Promise<SavedFile>
  /** Files of the agent's home folder, three levels deep. */
  listHome(agentId: string, subdir: string): Promise<AgentFile[]>
  /** The last commits of the agent's folder. */
  gitLog(agentId: string, patch: boolean): Promise<Commit[]>
  /** Writes a file below an agent's own folder, as the agent, and answers that folder's path as the agent sees it. */
  deliver(agentId: string, file: AgentDelivery): Promise<string>
  /** Runs a short program as an agent, in its crew, which must be running; `env` may hold secrets. */
  command(agentId: string, command: ShortProgram): Promise<ProgramEnd>
  /** Removes a folder below an agent's own; false while its crew does not run. */
  withdraw(agentId: string, folder: string): Promise<boolean>
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
  /** The model for it, instead of the agent's own. */
  model?: string
}

/** A message of a run. */
export interface Said {
  role: 'user' | 'assistant' | 'system' | 'tool'
  content: string
  parts?: Static<typeof MessagePart>[]
  toolSummary?: string | null
  metadata?: Record<string, unknown>
}

/** A person's answer to what the agent asked in a run. */
export interface Answer {
  /** Id of the person. */
  by: string
  question: string
  text: string
}

/** What a source without chats needs so that its runs may ask people. */
export interface AnswerKeeper {
  /** Who may be asked, the best first: nobody else reads the question. */
  askable(app: App, run: SourcedRun): string[]
  /** The thread of the question in the inbox. */
  thread(app: App, run: SourcedRun): string
  /** Stores the answer; its id becomes the run's `source_id`, of which the next prompt is made. */
  keep(app: App, run: SourcedRun, answer: Answer): string
}

/** Where runs come from: gives their prompts and keeps their messages. */
export interface RunSource {
  /** Null when the prompt no longer exists: the run then fails. */
  prompt(app: App, run: SourcedRun): Prompt | null
  /** Stores a message of a program, within the change that records the program's end. */
  keep(app: App, run: SourcedRun, said: Said): void
  /** The stored messages of the run, oldest first. */
  kept(app: App, run: SourcedRun): (Said & { ts: string })[]
  /** Who may read what is said in its runs, which the journal then does not cite; without it the whole workspace. */
  mayRead?(app: App, run: SourcedRun, user: string): boolean
  answers?: AnswerKeeper
  /**
   * Stores what reaches the agent after the end of this run; answers what the run `next` is to answer, or null when
   * nobody is to answer. Without it such words are not kept.
   */
  hear?(app: App, run: SourcedRun, words: Words): Heard | null
  /** The run in which this one was asked for. */
  parent?(app: App, run: SourcedRun): string | null
}

/** Words for an agent from Muster itself. */
export interface Words {
  text: string
  metadata: Record<string, unknown>
  /** Id of the run that would answer. */
  next: string
}

/** What a run answers: an object of a source. */
export interface Heard {
  source: string
  source_id: string
}
