import { Type } from 'typebox'
import { entry } from './define.ts'
import { named, quoted } from './quote.ts'

const optional = Type.Optional
const Metadata = Type.Record(Type.String(), Type.Unknown())

/** The end of a run. `metadata` holds what its client reported and what it spent. */
const End = Type.Object({
  chat_id: optional(Type.String()),
  exit_code: optional(Type.Integer()),
  error_message: optional(Type.String()),
  reason: optional(Type.Literal('server_restart')),
  metadata: optional(Metadata),
})

const because = (reason: string | undefined) => (reason ? `: ${quoted(reason)}` : '')

const Question = Type.Object({
  chat_id: optional(Type.String()),
  question: Type.String(),
  inbox_item_id: Type.String(),
})

const Resumption = Type.Object({
  chat_id: optional(Type.String()),
  comment_id: Type.String({ description: 'The message that answers' }),
  attempt: Type.Integer({ description: 'How many programs of the run have ended before' }),
  inbox_item_id: optional(Type.String()),
  delivery_id: optional(Type.String()),
})

/** What an agent's client reports when it starts; it may report other members too. */
const Init = Type.Object({
  model: optional(Type.String()),
  cli_version: optional(Type.String()),
  api_key_source: optional(Type.String()),
  permission_mode: optional(Type.String()),
  cwd: optional(Type.String()),
  tool_count: optional(Type.Integer()),
  skill_count: optional(Type.Integer()),
  mcp_server_count: optional(Type.Integer()),
  mcp_server_errors: optional(Type.Array(Type.Unknown())),
})

const Command = Type.Object({
  phase: Type.Enum(['start', 'end']),
  cmd: optional(Type.String()),
  container_id: optional(Type.Union([Type.String(), Type.Null()])),
  adapter: optional(Type.String()),
  model: optional(Type.Union([Type.String(), Type.Null()])),
  exit_code: optional(Type.Integer()),
  duration_ms: optional(Type.Integer()),
  in_band_error: optional(Type.Union([Type.String(), Type.Null()])),
})

export const runFacts = {
  'run.started': entry(
    'run.started',
    'info',
    Type.Object({
      trigger_type: Type.String(),
      chat_id: optional(Type.String()),
      metadata: optional(Metadata),
      assignment_id: optional(Type.String()),
      target_slug: optional(Type.String()),
      author_agent_id: optional(Type.String()),
      created_by_user_id: optional(Type.String()),
      peer_query_id: optional(Type.String()),
      from_slug: optional(Type.String()),
      question: optional(Type.String()),
    }),
    (_, { agent }) => `${agent} started a run`,
  ),
  'run.completed': entry('run.completed', 'info', End, (_, { agent }) => `${agent}'s run was completed`),
  'run.failed': entry(
    'run.failed',
    'error',
    End,
    ({ error_message }, { agent }) => `${agent}'s run failed${because(error_message)}`,
  ),
  'run.cancelled': entry(
    'run.cancelled',
    'info',
    End,
    (_, { agent, actor }) => `${agent}'s run was cancelled by ${actor}`,
  ),
  'run.timeout': entry(
    'run.timeout',
    'error',
    End,
    ({ error_message }, { agent }) => `${agent}'s run took too long${because(error_message)}`,
  ),
  'run.parked': entry(
    'run.parked',
    'notice',
    Question,
    ({ question }, { agent }) => `${agent} waits for an answer to: ${quoted(question)}`,
  ),
  'run.resumed': entry(
    'run.resumed',
    'info',
    Resumption,
    (_, { agent, actor }) => `${agent} goes on with the answer of ${actor}`,
  ),
  'run.session_init': entry(
    'run.session_init',
    'info',
    Init,
    ({ model }, { agent }) => `${agent}'s client began a session${model ? ` with ${named(model)}` : ''}`,
  ),
  'run.confidence': entry(
    'run.confidence',
    'info',
    Type.Object({ confidence: Type.Number(), reason: optional(Type.String()) }),
    ({ confidence, reason }, { agent }) =>
      `${agent} is ${Math.round(confidence * 100)}% sure${reason ? `: ${quoted(reason)}` : ''}`,
  ),
  'exec.command': entry('exec.command', 'info', Command, ({ phase, exit_code: code }, { agent }) =>
    phase === 'start'
      ? `${agent}'s client was started`
      : `${agent}'s client ended${code === undefined ? '' : ` with exit code ${code}`}`,
  ),
}
