import { Type } from 'typebox'
import { post } from './define.ts'
import { Id, nullable, prose, Ref } from './fields.ts'

const optional = Type.Optional
const text = Type.String()
const short = Type.String({ maxLength: 255 })
const count = Type.Integer({ minimum: 0, maximum: 1_000_000_000 })
const share = Type.Number({ minimum: 0, maximum: 1 })
const snippet = prose(8000)
const place = { workspace_id: Ref, crew_id: optional(Ref) }
const agent = { agent_id: optional(Ref), agent_name: optional(short), crew_name: optional(short) }

const verdict = {
  request_id: Id,
  decision: Type.Enum(['ALLOW', 'WARN', 'DENY', 'ESCALATE']),
  reason: text,
  risk_score: Type.Integer(),
}

const evaluating = {
  access: 'internal',
  status: 200,
  foreign: 'invalid_field',
  journal: ['keeper.request', 'keeper.decision'],
  noDryRun: 'it asks a model',
} as const
const throws = ['not_found', 'unavailable'] as const

export const lifecycles = ['active', 'stale', 'archived', 'deprecated'] as const
export const lessonTriggers = ['run_failed', 'guardrail_warn', 'guardrail_error', 'keeper_execute_deny'] as const

/** What models judge beside credentials, for Muster's own programs. docs/keeper.md, "Evaluators". */
export const keeperEvaluations = {
  reviewSkill: post('/internal/keeper/skill-review', {
    summary: 'Judge whether a skill is still good',
    ...evaluating,
    body: Type.Object({
      ...place,
      skill_id: Ref,
      skill_name: optional(short),
      skill_description: optional(prose(4000)),
      lifecycle_state: optional(Type.Enum([...lifecycles])),
      last_used_at: optional(nullable(Type.String({ maxLength: 40 }))),
      assignments: optional(count),
      assigned_agents: optional(Type.Array(short, { maxItems: 100 })),
      stats: optional(
        Type.Object({
          InvocationCount: optional(count),
          ErrorCount: optional(count),
          LastUsedAt: optional(nullable(Type.String({ maxLength: 40 }))),
          LookbackDays: optional(count),
        }),
      ),
      failure_snippets: optional(Type.Array(prose(2000), { maxItems: 20 })),
    }),
    reply: Type.Object({
      ...verdict,
      verify_after_decide: Type.Boolean(),
      unverify_after_decide: Type.Boolean(),
      proposed_lifecycle: Type.Enum([...lifecycles]),
    }),
    throws,
  }),
  behavior: post('/internal/keeper/behavior', {
    summary: 'Judge a call of a tool that an agent made',
    ...evaluating,
    body: Type.Object({
      workspace_id: Ref,
      crew_id: Ref,
      tool_name: short,
      ...agent,
      tool_args_snippet: optional(snippet),
      recent_tool_calls: optional(Type.Array(prose(1000), { maxItems: 20 })),
    }),
    reply: Type.Object({
      ...verdict,
      should_block: Type.Boolean({ description: 'The policy of the crew blocks, and the judge denies' }),
      policy_decision: Type.Enum(['allow', 'warn', 'block']),
    }),
    throws,
  }),
  memoryHealth: post('/internal/keeper/memory-health', {
    summary: 'Judge whether the memory of an agent or a crew needs to be tidied',
    ...evaluating,
    body: Type.Object({
      ...place,
      crew_name: optional(short),
      agent_name: optional(short),
      snapshot: optional(
        Type.Object({
          Freshness: optional(share),
          Coverage: optional(share),
          Coherence: optional(share),
          Efficiency: optional(share),
          Reachability: optional(share),
          Overall: optional(share),
        }),
      ),
      agent_md_bytes: optional(count),
      persona_md_bytes: optional(count),
      crew_md_bytes: optional(count),
      stalest_entry_days: optional(count),
      contradiction_count: optional(count),
    }),
    reply: Type.Object({ ...verdict, auto_consolidate: Type.Boolean(), overall_score: Type.Number() }),
    throws,
  }),
  negativeLearning: post('/internal/keeper/negative-learning', {
    summary: 'Judge whether a failure holds a lesson; one that does is put before people',
    ...evaluating,
    journal: ['keeper.request', 'keeper.decision', 'memory.consolidated'],
    body: Type.Object({
      ...place,
      trigger: Type.Enum([...lessonTriggers]),
      failure_snippet: Type.String({ minLength: 1, maxLength: 8000, pattern: '^[^\\u0000]*$' }),
      ...agent,
      tool_name: optional(short),
      prior_lesson: optional(prose(4000)),
    }),
    reply: Type.Object({ ...verdict, write_lesson: Type.Boolean(), lesson_id: optional(Id) }),
    throws,
  }),
}
