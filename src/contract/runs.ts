import { Type } from 'typebox'
import { get, post } from './define.ts'
import { nullable, prose, Ref } from './fields.ts'

export const runStatuses = ['RUNNING', 'COMPLETED', 'FAILED', 'CANCELLED', 'TIMEOUT'] as const
export type RunStatus = (typeof runStatuses)[number]

const text = Type.String()
const maybe = Type.Union([Type.String(), Type.Null()])
const tokens = (description: string) =>
  Type.Union([Type.Integer(), Type.Null()], { description: `${description}; null where the client did not tell` })

/** docs/rules/agents.md, "Models": a run without the names of agent and crew. */
const members = {
  id: Type.String({ description: 'The trace id' }),
  workspace_id: text,
  agent_id: maybe,
  chat_id: maybe,
  triggered_by: maybe,
  trigger_type: Type.String({ description: 'USER, ASSIGNMENT, PEER_QUERY, WEBHOOK, CRON' }),
  status: Type.Enum(runStatuses),
  started_at: text,
  finished_at: maybe,
  error_message: maybe,
  exit_code: Type.Union([Type.Integer(), Type.Null()]),
  metadata: Type.Record(Type.String(), Type.Unknown()),
  created_at: text,
  input_tokens: tokens('Without what came from the cache or was written to it'),
  output_tokens: tokens('Reasoning included'),
  cache_read_tokens: tokens('Input that came from the cache'),
  cache_write_tokens: tokens('Input that was written to the cache'),
  reasoning_tokens: tokens('The part of the output that was reasoning'),
  cost_usd: Type.Union([Type.Number(), Type.Null()], { description: 'null while it goes on, and when it is unknown' }),
  cost_source: Type.Union([Type.Enum(['client', 'prices']), Type.Null()], {
    description: "client: the agent's client said so; prices: by the list of that day",
  }),
  prices_as_of: Type.Union([Type.String(), Type.Null()], { description: 'Date of that list' }),
  parked_at: Type.Optional(
    Type.String({ format: 'date-time', description: 'Since when it waits for a person, without a program' }),
  ),
  inbox_item_id: Type.Optional(Type.String({ description: 'Where that person acts' })),
  queued: Type.Optional(Type.Boolean({ description: 'It waits for its place among the runs' })),
  model: Type.Optional(text),
  cli_version: Type.Optional(text),
  api_key_source: Type.Optional(text),
  permission_mode: Type.Optional(text),
  session_id: Type.Optional(text),
  mcp_server_errors: Type.Optional(Type.Array(Type.Unknown())),
  permission_denials: Type.Optional(Type.Array(Type.Unknown())),
  left_out_lines: Type.Optional(Type.Integer({ description: 'Lines of output that were too long to be read' })),
  left_out_bytes: Type.Optional(Type.Integer({ description: 'What these lines measured' })),
}

export const BareRun = Type.Object(members)
export const Run = Type.Object({ ...members, agent_name: maybe, agent_slug: maybe, crew_name: maybe })

const number = (description: string) => Type.Optional(Type.Union([Type.Integer(), Type.String()], { description }))

/** What clients see of runs is rebuilt from the journal. */
export const runs = {
  list: get('/runs', {
    summary: 'List runs, newest first, with statistics of the workspace',
    access: 'VIEWER',
    workspace: 'session',
    query: Type.Object({
      status: Type.Optional(Type.Enum([...runStatuses, ''])),
      waiting: Type.Optional(Type.Boolean({ description: 'Only runs that wait for a person' })),
      agent_id: Type.Optional(text),
      trigger: Type.Optional(Type.String({ description: 'trigger_type of the start entry' })),
      tag: Type.Optional(Type.String({ description: 'One of the tags in metadata' })),
      page: number('From 1; anything else is 1'),
      limit: number('1 to 100; anything else is 50'),
    }),
    reply: Type.Object({
      data: Type.Array(Run),
      stats: Type.Object({
        running: Type.Integer({ description: 'Started and not ended' }),
        today: Type.Integer({ description: 'Started since 00:00 UTC' }),
        failed: Type.Integer({ description: 'Failed or timed out since 00:00 UTC' }),
      }),
      pagination: Type.Object({
        page: Type.Integer(),
        limit: Type.Integer(),
        total: Type.Integer(),
        total_pages: Type.Integer(),
      }),
    }),
  }),
  show: get('/runs/:runId', {
    summary: 'Show one run',
    access: 'VIEWER',
    workspace: 'session',
    reply: Run,
    throws: ['not_found'],
  }),
  cancel: post('/runs/:runId/cancel', {
    summary: 'End a run',
    access: 'VIEWER',
    scope: 'agents:write',
    reply: Type.Object({
      run_id: text,
      status: Type.Enum(runStatuses, { description: 'RUNNING: it is being ended; otherwise it is over' }),
    }),
    status: 202,
    journal: ['run.cancelled'],
    throws: ['not_found', 'insufficient_role'],
  }),
  logs: get('/runs/:runId/logs', {
    summary: 'What a run did and said, one JSON object a line',
    access: 'VIEWER',
    kind: 'stream',
    query: Type.Object({
      follow: Type.Optional(Type.Boolean({ description: 'Stay until the run is over' })),
    }),
    throws: ['not_found', 'unavailable'],
  }),
  ofAgent: get('/agents/:agentId/runs', {
    summary: 'List the newest 100 runs of an agent',
    access: 'VIEWER',
    reply: Type.Array(BareRun),
    throws: ['not_found'],
  }),
  /** An agent says how sure it is of what it does; people see it in the journal. */
  reportConfidence: post('/internal/report-confidence', {
    summary: 'Put on record how sure an agent is',
    access: 'internal',
    agent: {
      route: '/report-confidence',
      tool: 'report_confidence',
      says: 'Put on record how sure you are of what you do. Nobody answers; people see it in the journal.',
      members: { confidence: '0: guessing, 1: certain', reason: 'Why' },
      rate: { agent: 12, crew: 60 },
    },
    status: 202,
    body: Type.Object({
      workspace_id: Ref,
      crew_id: Ref,
      agent_id: Ref,
      run_id: Type.Optional(nullable(Ref)),
      confidence: Type.Number({ minimum: 0, maximum: 1 }),
      reason: Type.Optional(prose(2000)),
    }),
    reply: Type.Object({ id: Type.String({ description: 'Of the journal entry' }) }),
    journal: ['run.confidence'],
    throws: ['not_found'],
  }),
}
