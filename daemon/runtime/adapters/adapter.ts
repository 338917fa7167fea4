import type { Abilities } from '#contract/adapters'
import { type LlmProvider, profileTools } from '#contract/agents'
import type { AgentFrame, Usage } from '#contract/frames'
import type { VendorSetting } from '#kernel/settings'
import type { AgentPlaces, RunEnd, RunSpec } from '../types.ts'
import type { LineReader } from './parser.ts'
import type { GivenSkill } from './skills.ts'

/**
 * One coding-agent client: how it is started and how its output reads. Secrets, sizes and verdicts are the same for all
 * clients, so none of them is an adapter's business.
 */
export interface Adapter {
  /** The value of an agent's `cli_adapter`. */
  readonly name: string
  /** Program that must be in the crew's image. */
  readonly program: string
  /** The setting that names the program where agents run as local processes. */
  readonly command: VendorSetting
  /** The client can keep a session and go on with it. */
  readonly keepsSessions: boolean
  /** A session that goes on keeps to the system prompt with which it began. */
  readonly keepsInstructions?: true
  /** The client chooses the id of its session, and tells it with its first event; the form of that id. */
  readonly namesSessions?: RegExp
  /** What else was seen to work in runs of Muster; docs/adapters.md, "What a crew has". */
  readonly can: Omit<Abilities, 'resume'>
  /** It can be made to ask before each call of a tool. */
  readonly holdsCalls?: true
  /** Why no agent may have it; absent when agents may. */
  readonly refused?: string
  launch(turn: Turn): Launch
  /** Reads the lines of one run. */
  reader(started: Started): LineReader
  /** The failure that the client tells of on standard error; null when it tells of none. */
  stderrFailure(stderr: string, seen?: Seen): Failure | null
}

/** What else is known of a program that failed. */
export interface Seen {
  /** Its exit code; null when a signal ended it. */
  code: number | null
  /** It was to go on with a session. */
  resumed: boolean
  /** It said that its session begins. */
  began: boolean
}

/** What a client was started with, as far as its output does not tell it. */
export interface Started {
  /** Names of the tool servers that should connect. */
  mcpServers: readonly string[]
  /** Null left the choice to the client. */
  model: string | null
  /** What the session that goes on has used already; null when a session begins. */
  used: Usage | null
}

/** All that one run of an agent depends on. */
export interface Turn {
  runId: string
  crewId: string
  /** Null when the run belongs to no chat. */
  chatId: string | null
  agent: { id: string; slug: string }
  folders: Folders
  /** Null leaves the choice to the client. */
  model: string | null
  /** Whose models they are. */
  provider: LlmProvider
  systemPrompt: string
  toolProfile: ToolProfile
  /** Comma-separated names that narrow the profile's tools; null or empty does not. */
  cliTools: string | null
  /** `{"mcpServers": ...}` texts, the crew's before the agent's: a later server of the same name wins. */
  mcpConfigs: string[]
  /** 0 takes the default: 50, or 20 when nobody is watching. */
  maxTurns: number
  unattended: boolean
  /** History and message, as `composePrompt` joins them. Goes to standard input, never to the command line. */
  prompt: string
  access: ModelAccess
  /** Address of the crew's outbound proxy; null without a sidecar. */
  proxy: string | null
  /** The agent's own variables. They never override the ones that Muster sets. */
  env: Record<string, string>
  /** A session of the client's own to keep in this folder, or to go on with from there; null keeps none. */
  session: { id: string; resume: boolean; folder: string } | null
  /** What it was taught; nothing unless stated. */
  skills?: readonly GivenSkill[]
  /** How long a call of a tool may be held until it is judged; absent where the client need not ask. */
  holdMs?: number
  /** How often the client asks the model service again by itself; 5 unless stated. */
  retries?: number
}

export type ToolProfile = 'MINIMAL' | 'CODING' | 'FULL'

/** Where a run works, as the agent sees it. */
export interface Folders {
  home: string
  cwd: string
  scratch: string
  shared: string
  /** Belongs to this run alone and goes away with it. */
  run: string
}

/** With a sidecar the agent holds a dummy key that names it; without one, the real thing. */
export type ModelAccess =
  | { via: 'sidecar'; key: string; origin: string }
  | { via: 'direct'; kind: 'api_key' | 'oauth'; token: string; baseUrl: string | null }

/** The key that a client holds. */
export const keyOf = (access: ModelAccess): string => (access.via === 'sidecar' ? access.key : access.token)

export interface Launch {
  spec: Pick<RunSpec, 'argv' | 'env' | 'files' | 'stdin'>
  /** Names of the tool servers that the client was given. */
  mcpServers: string[]
}

/**
 * Turns a client's standard output into frames. The frames depend on the bytes alone, not on how they were cut, so
 * after a restart the output can be fed again from its start and the first `emitted` frames dropped.
 */
export interface Parser {
  feed(chunk: Buffer): AgentFrame[]
  /** To be called once, after the last chunk. */
  flush(): AgentFrame[]
  readonly facts: Facts
  /** Set when the run has to be ended at once. */
  readonly abort: Failure | null
  readonly emitted: number
  /** Values that became secrets after the run had begun. */
  learn(secrets: readonly string[]): void
  /** A copy without any secret that is known by now, those that the agent offered included. */
  clean<T>(value: T): T
}

/** What became known of a run while it was read. Members are named as the journal stores them. */
export interface Facts {
  init: SessionInit | null
  session_id: string | null
  usage: Usage & { cache_read_input_tokens?: number; cache_creation_input_tokens?: number }
  total_cost_usd: number | null
  duration_ms: number | null
  num_turns: number | null
  /** The final answer, when the client repeats it at the end. */
  result_text: string | null
  permission_denials: { tool_name: string; count: number }[]
  /** Lines of output that were too long to be read; null when there was none. */
  left_out: { lines: number; bytes: number } | null
  /** True once the agent said something or used a tool. */
  produced: boolean
  /** True once the client said that its turn is over. */
  finished: boolean
  /** The first failure that the client itself reported; later good news do not undo it. */
  failure: Failure | null
  /** What the model service last complained about; it counts only when the run fails. */
  complaint: Failure | null
}

/** Payload of `run.session_init`. */
export interface SessionInit {
  model: string
  cli_version: string
  api_key_source: string
  permission_mode: string
  cwd: string
  tool_count: number
  skill_count: number
  mcp_server_count: number
  mcp_server_errors: { name: string; type: string }[]
}

export const failureKinds = [
  'bad_key',
  'quota',
  'overloaded',
  'unreachable',
  'upstream',
  'sidecar',
  'unknown_model',
  'rejected',
  'turn_cap',
  'tool_loop',
  'no_output',
  'resume_missing',
  'root_refused',
  'bad_config',
  'client_missing',
  'killed',
  'timeout',
  'internal',
] as const
export type FailureKind = (typeof failureKinds)[number]

/** `reason` is for people and at most 300 characters long. */
export interface Failure {
  kind: FailureKind
  reason: string
}

export interface Ending {
  end: RunEnd
  stderr: string
  /** True when somebody asked for the end. */
  cancelled: boolean
  /** True when a session was to go on. */
  resumed?: boolean
}

/** How a run ended, ready for its one terminal journal entry `run.<status>`. */
export interface Verdict {
  status: 'completed' | 'failed' | 'cancelled' | 'timeout'
  /** `refused_tool` is a completed run in which the client would not let a tool run. */
  kind: FailureKind | 'refused_tool' | null
  reason: string | null
  exit_code: number | null
  metadata: Record<string, unknown>
}

export const reasonLimit = 300

/** Shortens a reason to what the journal keeps. */
export function capReason(text: string): string {
  const clean = text.replace(/\s+/g, ' ').trim()
  const characters = [...clean]
  return characters.length <= reasonLimit ? clean : `${characters.slice(0, reasonLimit - 1).join('')}…`
}

/** Where a run of an agent works, by what the runtime says of its places. */
export const foldersOf = (places: AgentPlaces, runId: string): Folders => ({
  home: places.home,
  cwd: places.output,
  scratch: places.workspace,
  shared: places.crewShared,
  run: `${places.runs}/${runId}`,
})

/**
 * Variables that every agent gets, whatever its client, and its own but for `keyNames`, which the client could prefer
 * to the key that the run is meant to use. docs/rules/adapters.md, "Prompt".
 */
export function commonEnv(turn: Turn, keyNames: readonly string[]): Record<string, string> {
  const { agent, crewId, chatId, runId, folders, access, proxy } = turn
  const env: Record<string, string> = {
    ...Object.fromEntries(Object.entries(turn.env).filter(([name]) => !keyNames.includes(name))),
    HOME: folders.home,
    SVC_AGENT_ID: agent.id,
    SVC_CREW_ID: crewId,
    ...(chatId !== null && { SVC_CHAT_ID: chatId }),
    SVC_RUN_ID: runId,
    SVC_CREW_SHARED: folders.shared,
    ...(access.via === 'sidecar' && { SVC_AGENT_TOKEN: access.key, SVC_SIDECAR_URL: access.origin }),
  }
  return proxy ? { ...env, ...proxyEnv(proxy) } : env
}

/** Leads what programs of a crew fetch through its sidecar. */
export function proxyEnv(proxy: string): Record<string, string> {
  const env: Record<string, string> = {}
  for (const name of ['HTTP_PROXY', 'HTTPS_PROXY']) env[name] = env[name.toLowerCase()] = proxy
  env['NO_PROXY'] = env['no_proxy'] = '127.0.0.1,localhost,::1'
  return env
}

/** The tools of a profile that `cliTools` leaves. Names compare without case. */
export function toolList(profile: ToolProfile, cliTools: string | null): readonly string[] {
  const tools = profileTools[profile]
  const wanted = new Set(
    (cliTools ?? '')
      .split(',')
      .map((name) => name.trim().toLowerCase())
      .filter(Boolean),
  )
  return wanted.size === 0 ? tools : tools.filter((name) => wanted.has(name.toLowerCase()))
}

/** Turns of one run: what was asked for, else 50, or 20 when nobody is watching. */
export const turnCap = ({ maxTurns, unattended }: Pick<Turn, 'maxTurns' | 'unattended'>): number =>
  maxTurns > 0 ? maxTurns : unattended ? 20 : 50
