import { Type } from 'typebox'
import { del, get, post } from './define.ts'
import { Id, nullable, page, prose, Ref, Time } from './fields.ts'

export const keeperStates = ['PENDING', 'ALLOW', 'WARN', 'DENY', 'ESCALATE'] as const
export type KeeperState = (typeof keeperStates)[number]

/** What is judged: the use of a credential, a command with one, and what agents do beside. */
export const keeperRequestTypes = [
  'access',
  'execute',
  'skill_review',
  'behavior',
  'memory_health',
  'negative_learning',
] as const
export type KeeperRequestType = (typeof keeperRequestTypes)[number]

/** Seconds that people may take, and that an agent waits for them within one call. */
export const keeperAnswerWithin = 7 * 86_400
export const keeperAgentWaits = 300
/** Seconds of a command at most, and bytes of what it prints. */
export const keeperCommand = { seconds: 60, mostBytes: 524_288 } as const

const text = Type.String()
const optional = Type.Optional
const maybe = nullable(text)
const state = Type.Enum([...keeperStates])
const type = Type.Enum([...keeperRequestTypes])
const intent = Type.String({ minLength: 1, maxLength: 4096, pattern: '^[^\\u0000]*$' })
const name = Type.String({ maxLength: 255 })

export const KeeperRequest = Type.Object({
  id: Id,
  agent_id: maybe,
  agent_name: maybe,
  crew_id: maybe,
  credential_id: maybe,
  credential_name: maybe,
  security_level: nullable(Type.Integer()),
  intent: text,
  request_type: type,
  command: optional(text),
  decision: nullable(state),
  reason: maybe,
  risk_score: nullable(Type.Integer()),
  exit_code: optional(Type.Integer()),
  rule: optional(Type.String({ description: 'What decided' })),
  ollama_prompt: optional(Type.String({ description: 'What the judge was asked, whichever it is' })),
  ollama_raw_response: optional(Type.String({ description: 'What the judge answered' })),
  created_at: Time,
  decided_at: maybe,
  judge_profile: optional(text),
})

export const KeeperEvent = Type.Object({
  seq: Type.Integer(),
  state,
  request_type: optional(type),
  requesting_agent_id: optional(text),
  agent_name: optional(text),
  requesting_crew_id: optional(text),
  credential_id: optional(text),
  credential_name: optional(text),
  intent: optional(text),
  command: optional(text),
  reason: optional(text),
  risk_score: optional(Type.Integer()),
  exit_code: optional(Type.Integer()),
  actor_type: Type.Enum(['agent', 'keeper', 'user', 'reference']),
  actor_id: optional(text),
  recorded_at: Time,
})

/** A rolling window of the newest decisions since the server started. */
export const KeeperHealth = Type.Object({
  workspace_id: Id,
  samples: Type.Integer(),
  allow: Type.Integer(),
  deny: Type.Integer(),
  escalate: Type.Integer(),
  judge_failures: Type.Integer(),
  allow_rate: Type.Number(),
  deny_rate: Type.Number(),
  escalate_rate: Type.Number(),
  progressed_rate: Type.Number({ description: 'Allowed or put before people' }),
  judge_failure_rate: Type.Number(),
  p95_latency_ms: Type.Integer(),
  min_samples: Type.Integer(),
  alarm_progressed_rate: Type.Number(),
  alarm_judge_failure_rate: Type.Number(),
  alarm: optional(
    Type.Object({ kind: Type.Enum(['allow_rate_collapsed', 'judge_failure_spike']), summary: text, at: Time }),
  ),
  oldest: maybe,
  newest: maybe,
})

const asked = {
  intent,
  credential_id: optional(Ref),
  credential_name: optional(name),
  task_id: optional(nullable(Ref)),
}
/** Who asks: what the sidecar says counts before what is said in the request. */
const asker = {
  workspace_id: Ref,
  crew_id: optional(Ref),
  agent_id: optional(Ref),
  requesting_agent_id: optional(Ref),
  requesting_crew_id: optional(Ref),
  run_id: optional(nullable(Ref)),
  chat_id: optional(nullable(Ref)),
}

const Answer = Type.Object({
  request_id: Id,
  decision: state,
  reason: text,
  risk_score: nullable(Type.Integer()),
  file: optional(Type.String({ description: 'Where the value lies for the agent now' })),
  expires_at: optional(Type.String({ description: 'Until then' })),
})
const Executed = Type.Object({
  ...Answer.properties,
  output: optional(text),
  exit_code: optional(Type.Integer()),
})

const judged = ['keeper.request', 'keeper.decision', 'credential.lease_issued'] as const
const ofAgents = {
  access: 'internal',
  status: 200,
  journal: judged,
  noDryRun: 'it asks a model',
} as const
const unfit = ['not_found', 'unknown_agent', 'internal_token_rejected', 'missing_field', 'rate_limited'] as const
const administering = { access: 'ADMIN', scope: 'workspace:admin' } as const

const tools = {
  intent: 'What you will do with it, with what, and why; one that is vague is denied',
  credential_name: 'The name of its variable, such as GH_TOKEN',
  task_id: 'The issue or task that it is for',
}

/** Requests of agents for credentials, and what became of them. docs/keeper.md. */
export const keeperRequests = {
  requests: get('/admin/keeper/requests', {
    summary: 'List what agents asked the judge for, newest first',
    access: 'ADMIN',
    query: Type.Object({
      ...page,
      decision: optional(Type.Enum([...keeperStates, ''])),
      request_type: optional(Type.Enum([...keeperRequestTypes, ''])),
      agent_id: optional(Type.String({ maxLength: 64 })),
    }),
    reply: Type.Array(KeeperRequest),
  }),
  show: get('/admin/keeper/requests/:requestId', {
    summary: 'Show a request, what the judge was asked and what it answered',
    access: 'ADMIN',
    reply: KeeperRequest,
    throws: ['not_found'],
  }),
  history: get('/admin/keeper/requests/:requestId/events', {
    summary: 'Show what became of a request, step by step',
    access: 'ADMIN',
    reply: Type.Array(KeeperEvent),
    throws: ['not_found'],
  }),
  resolve: post('/admin/keeper/requests/:requestId/resolve', {
    summary: 'Decide a request that the judge put before people',
    ...administering,
    stepUp: true,
    status: 200,
    body: Type.Object({
      decision: Type.Enum(['ALLOW', 'DENY']),
      reason: optional(nullable(prose(2000))),
      adjudicator: optional(
        nullable(Type.String({ maxLength: 200, description: 'Taken and not used: who calls decides' })),
      ),
    }),
    reply: Type.Object({ request_id: Id, decision: state, reason: text, decided_at: Time }),
    journal: ['keeper.decision', 'credential.lease_issued'],
    throws: ['not_found', 'keeper_settled', 'second_approver_required'],
  }),
  clear: del('/admin/keeper/requests', {
    summary: 'Delete the requests that are settled, with their history',
    ...administering,
    stepUp: true,
    status: 200,
    reply: Type.Object({ deleted_requests: Type.Integer(), deleted_events: Type.Integer() }),
    journal: ['audit.entity_deleted'],
  }),
  ask: post('/admin/keeper/ask', {
    summary: 'Ask for a credential in place of an agent',
    ...administering,
    status: 200,
    body: Type.Object({ requesting_agent_id: Ref, requesting_crew_id: optional(Ref), ...asked }),
    reply: Answer,
    journal: judged,
    noDryRun: 'it asks a model',
    throws: ['not_found', 'missing_field', 'rate_limited'],
  }),
  health: get('/admin/keeper/health', {
    summary: 'Show how the judge decided lately, and whether something is wrong with it',
    access: 'ADMIN',
    reply: KeeperHealth,
  }),
  request: post('/internal/keeper/request', {
    summary: 'Ask for the use of a credential, as an agent',
    ...ofAgents,
    agent: {
      route: '/keeper/request',
      tool: 'request_credential',
      says:
        'Ask to use a credential that you were not given, or that people guard. A judge decides by what you say that ' +
        'you want to do with it, and people where it cannot: then this waits up to five minutes for them. With ' +
        'ALLOW, file is where the value lies. With DENY go on without it. With ESCALATE people have not decided yet.',
      members: tools,
      rate: { agent: 10, crew: 40 },
    },
    body: Type.Object({ ...asker, ...asked }),
    reply: Answer,
    throws: unfit,
  }),
  requested: get('/internal/keeper/request/:requestId', {
    summary: 'Show what became of a request, as an agent',
    access: 'internal',
    reply: Type.Object({
      id: Id,
      requesting_agent_id: text,
      requesting_crew_id: maybe,
      credential_id: maybe,
      intent: text,
      decision: nullable(state),
      reason: maybe,
      risk_score: nullable(Type.Integer()),
      created_at: Time,
      decided_at: maybe,
    }),
    throws: ['not_found'],
  }),
  execute: post('/internal/keeper/execute', {
    summary: 'Carry out a command with a credential that the agent does not see',
    ...ofAgents,
    agent: {
      route: '/keeper/execute',
      tool: 'use_credential',
      says:
        'Carry out one command with a credential in its environment, without seeing the value. A judge decides about ' +
        'intent and command, and people where it cannot. The command is a program and its arguments: no shell, no ' +
        'pipes, no variables. It may take 60 seconds; output is what it printed, with secrets taken out.',
      members: {
        ...tools,
        command: 'The program and its arguments, such as npm publish --access public',
        env_var: 'The variable in which the program looks for the value, if it has another name',
      },
      rate: { agent: 10, crew: 40 },
    },
    body: Type.Object({
      ...asker,
      ...asked,
      command: Type.String({ minLength: 1, maxLength: 4096 }),
      env_var: optional(Type.String({ maxLength: 128 })),
      container_id: Type.String({ maxLength: 128 }),
    }),
    reply: Executed,
    throws: [...unfit, 'keeper_in_flight', 'crew_not_running'],
  }),
}
