/**
 * What a chat sends while an agent works: docs/rules/chats.md, "Frames". Types only: the streams write these objects as
 * they are.
 */

/** Present on what a sub-agent of the run says or does. */
export interface Origin {
  parent_tool_use_id?: string
  subagent?: true
}

export interface ToolCall extends Origin {
  tool_name: string
  tool_id: string
  input: unknown
  /** Set when the tool belongs to an MCP server. */
  transport?: 'mcp'
  mcp_server?: string
  mcp_tool?: string
}

export interface ToolResult extends Origin {
  tool_use_id: string
  /** The same id again, so that calls and results pair on one name. */
  tool_id: string
  is_error?: boolean
  status?: string
  exit_code?: number
}

export interface Usage {
  input_tokens: number
  output_tokens: number
  /** Absent when the agent's client tells nothing of a cache. */
  cache_read_input_tokens?: number
  /** Part of the output; absent when the client does not tell it apart. */
  reasoning_output_tokens?: number
}

export interface Result {
  subtype: string
  /** Absent when the agent's client does not tell, as `num_turns` is. */
  duration_ms?: number
  num_turns?: number
  /** Absent when the agent's client tells no price. */
  total_cost_usd?: number
  usage: Usage
  model_usage: Record<string, unknown>
  is_error: boolean
  session_id: string
  /** What went wrong in the agent's client, in its words. */
  errors?: string[]
}

export interface SystemNote {
  subtype: string
  model?: string
  session_id?: string
  tools?: string[]
  [member: string]: unknown
}

/** Why a run could not go on, for clients that react to it. */
export type ErrorCode =
  | 'capacity'
  | 'provider_capability'
  | 'legacy_volume_conflict'
  | 'image_missing'
  | 'resource_limit'
  | 'provision_failed'
  | 'internal'

/** What an agent's command-line client reports, in one language for all of them. */
export type AgentFrame =
  | { type: 'text'; content: string; metadata?: Origin }
  | { type: 'thinking'; content: string; metadata: Origin & { streaming: boolean } }
  | { type: 'tool_call'; content: string; metadata: ToolCall }
  | { type: 'tool_result'; content: string; metadata: ToolResult }
  /** Its content is the picture in base64, or empty where there is an address instead. */
  | { type: 'image'; content: string; metadata: Origin & { media_type: string; url?: string } }
  | { type: 'system'; content?: string; metadata: SystemNote }
  | { type: 'result'; metadata: Result }
  | { type: 'error'; content: string; metadata?: { reason?: string; code?: ErrorCode; [member: string]: unknown } }

/** An event of a chat before it has its place in the session's order. */
export type ChatEvent =
  | AgentFrame
  | { type: 'run_begin'; from_seq: number }
  | { type: 'status'; content: string }
  | { type: 'user_message'; content: string; metadata: { author_user_id?: string; [member: string]: unknown } }
  | { type: 'crew_provisioning'; content?: string; metadata: { crew_id: string; crew_slug: string; status: string } }
  | { type: 'agent_busy'; content?: string }
  | {
      type: 'done'
      content: ''
      metadata?: { trace_id?: string; no_reply?: boolean; parked?: boolean; inbox_item_id?: string }
    }

/** `seq` is monotonic in a session, across its runs. */
export type RunFrame = ChatEvent & { seq: number }

/** How work stands that was delegated in the chat; without a number, and not repeated for those who come late. */
export interface Delegated {
  type: 'stream.assignment'
  event: 'created' | 'queued' | 'running' | 'completed' | 'failed'
  id: string
  /** Slugs of the agent that does it and of the one that gave it. */
  target: string
  from: string
  task: string
  /** 1 for what the agent of the chat itself gave. */
  depth: number
  status: string
  run_id?: string
  result?: string
  error?: string
}

/** A message said while the agent works waits for its next step or its next turn, or the agent has it. */
export type Delivery = 'pending' | 'queued' | 'delivered'

/** What became of a message that was said while the agent worked; not repeated for those who come late. */
export interface Steering {
  type: 'stream.steering'
  message_id: string
  delivery: Delivery
}

/** Two agents have written the same thing, one of them in a run of the chat; without a number, and not repeated. */
export interface Collided {
  type: 'stream.collision'
  id: string
  kind: string
  path: string
  first_agent_slug: string
  second_agent_slug: string
  certain: boolean
  /** What happened, as a sentence. */
  summary: string
}

/** Lines of the run stream that are not events of the chat: docs/rules/chats.md, "Run stream". */
export type StreamFrame =
  | { type: 'stream.open'; chat_id: string; from_seq: number; active: boolean }
  | { type: 'stream.heartbeat' }
  | Delegated
  | Steering
  | Collided
  | { type: 'stream.reset'; reason: 'replay_truncated' | 'slow_consumer' }
  | { type: 'stream.end'; reason: StreamEnd; last_seq: number }

/** Lines of a run's log: what was kept of it has the time at which it was kept, what is live has a number. */
export type LogFrame =
  | (ChatEvent & { seq?: number; ts?: string })
  | { type: 'stream.open'; run_id: string; chat_id: string | null; status: string; active: boolean }
  | Exclude<StreamFrame, { type: 'stream.open' }>

export type StreamEnd =
  | 'run_complete'
  | 'not_followed'
  | 'no_active_run'
  | 'idle_timeout'
  | 'replay_truncated'
  | 'slow_consumer'
  | 'stream_closed'
  | 'access_revoked'
