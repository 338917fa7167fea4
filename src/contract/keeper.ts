// Longer than other files: the judge has 14 operations, whose shapes belong together.
import { type TSchema, Type } from 'typebox'
import { del, get, post, put } from './define.ts'
import { line, nullable, prose } from './fields.ts'
import { keeperEvaluations } from './keeper-evaluations.ts'
import { keeperMeasuring } from './keeper-measuring.ts'
import { keeperRequests } from './keeper-requests.ts'

export const judgeProviders = ['ollama', 'openai_compat', 'anthropic'] as const
export type JudgeProvider = (typeof judgeProviders)[number]

/** How a judge's server is spoken to. */
export const judgeWires = ['ollama', 'openai-chat', 'openai-responses', 'anthropic-messages'] as const
export type JudgeWire = (typeof judgeWires)[number]

export const judgeProfiles = ['balanced', 'strict', 'thorough'] as const
export type JudgeProfile = (typeof judgeProfiles)[number]

export const evidenceFacts = ['role', 'history'] as const
export type EvidenceFact = (typeof evidenceFacts)[number]

export const evaluatorSlots = ['curator', 'behavior', 'memory_health', 'negative', 'run_summary', 'fallback'] as const
export type EvaluatorSlot = (typeof evaluatorSlots)[number]

export const watchPresets = ['credentials', 'egress', 'memory', 'destructive', 'secret_files'] as const
export type WatchPreset = (typeof watchPresets)[number]

export const settingSources = ['default', 'env', 'profile', 'instance'] as const
export type SettingSource = (typeof settingSources)[number]

/** Milliseconds that a judge and an evaluator may take, unless somebody said otherwise, and at most. */
export const judgeTimeout = { fallback: 20_000, least: 1000, most: 120_000, ofEvaluator: 600_000 } as const
/** Tokens of a prompt; 0 for no bound. */
export const promptBudget = { least: 512, most: 131_072 } as const
/** Seconds for which a lease may be given. */
export const leaseSeconds = { least: 60, most: 2_592_000 } as const

const text = Type.String()
const optional = Type.Optional

/** A value, where it comes from, and whether the caller may change it. */
const effective = <T extends TSchema>(value: T) =>
  Type.Object({
    value,
    source: Type.Enum([...settingSources]),
    editable: Type.Boolean(),
  })

export const JudgeConfig = Type.Object({
  enabled: effective(Type.Boolean()),
  judge_provider: effective(Type.Enum([...judgeProviders])),
  judge_endpoint_url: effective(Type.String({ description: 'A name or password in it is not shown' })),
  judge_wire: effective(Type.Enum([...judgeWires])),
  judge_model: effective(text),
  judge_timeout_ms: effective(Type.Integer()),
  judge_profile: Type.Object({
    name: effective(Type.Enum([...judgeProfiles])),
    evidence: effective(Type.Boolean()),
    evidence_facts: effective(Type.Array(Type.Enum([...evidenceFacts]))),
    hard_gate: effective(Type.Boolean()),
    escalate_from: effective(
      Type.Integer({ description: 'Level from which people decide; 0 as the tiers say, 5 never' }),
    ),
    precedent: effective(Type.Boolean()),
    precedent_n: effective(Type.Integer()),
    consistency_samples: effective(Type.Integer()),
    prompt_budget_tokens: effective(Type.Integer({ description: '0: no bound' })),
    overridden: Type.Boolean(),
    choices: Type.Array(Type.Enum([...judgeProfiles])),
    available_facts: Type.Array(Type.Enum([...evidenceFacts])),
    stamp: Type.String({ description: 'All of it in a line, which is stored with each decision' }),
  }),
  overridden: Type.Boolean({ description: 'Somebody set something' }),
  updated_at: nullable(text),
  updated_by: nullable(text),
  judge_configured: Type.Boolean({ description: 'There are an address and a model' }),
})

/** true, false, null to go back to what the profile says; `on` and `off` are taken as well. */
const Switch = Type.Unsafe<boolean | 'on' | 'off' | '' | null>({
  enum: [true, false, 'on', 'off', '', null],
  description: 'true, false, or null to take it back',
})
const Endpoint = Type.String({ maxLength: 2048, pattern: '^[^\\s\\u0000-\\u001f]*$', description: 'http or https' })
const Whole = (maximum: number, description: string) => nullable(Type.Integer({ minimum: 0, maximum, description }))

export const JudgeConfigPatch = Type.Object({
  enabled: optional(Switch),
  judge_provider: optional(Type.Enum([...judgeProviders, ''])),
  judge_endpoint_url: optional(Endpoint),
  judge_wire: optional(Type.Enum([...judgeWires, ''])),
  judge_model: optional(line(200)),
  judge_timeout_ms: optional(Whole(judgeTimeout.most, '1000 to 120000; 0 takes it back')),
  judge_profile: optional(Type.Enum([...judgeProfiles, ''])),
  judge_evidence: optional(Switch),
  judge_evidence_facts: optional(
    Type.Unsafe<string | string[] | null>({
      type: ['string', 'array', 'null'],
      maxLength: 200,
      items: { type: 'string', maxLength: 40 },
      maxItems: 10,
      description: 'role, history; "" for all; null takes it back',
    }),
  ),
  judge_hard_gate: optional(Switch),
  judge_escalate_from: optional(Whole(5, '1 to 4, 5 for never, 0 as the tiers say; null takes it back')),
  judge_precedent: optional(Switch),
  judge_precedent_n: optional(Whole(10, '1 to 10; 0 takes it back')),
  judge_consistency_samples: optional(Whole(9, '1, 3, 5, 7 or 9; 0 takes it back')),
  judge_prompt_budget_tokens: optional(Whole(promptBudget.most, '512 to 131072, 0 for no bound; null takes it back')),
})

const Stage = Type.Object({
  name: Type.String({ description: 'reach, model, verdict; of a hosted one key, verdict, budget' }),
  label: text,
  ok: Type.Boolean(),
  detail: text,
  latency_ms: Type.Integer(),
  skipped: optional(Type.Boolean({ description: 'One before it failed' })),
})

/** What became of one trial question. */
export const JudgeTest = Type.Object({
  ok: Type.Boolean(),
  endpoint: text,
  model: text,
  stages: Type.Array(Stage),
  models: Type.Array(text),
  decision: text,
})

const EvaluatorRow = Type.Object({
  slot: Type.Enum([...evaluatorSlots]),
  label: text,
  provider: effective(text),
  model: effective(text),
  timeout_ms: effective(Type.Integer()),
  credential_id: effective(text),
  overridden: Type.Boolean(),
})

const slotRows = Type.Array(EvaluatorRow)

/** Who judges what beside credentials. */
export const Evaluators = Type.Object({
  slots: slotRows,
  providers: Type.Array(text),
  judge_provider: text,
  judge_model: text,
  any_overridden: Type.Boolean(),
})

export const Governance = Type.Object({
  configured: Type.Boolean({ description: 'Somebody set something' }),
  enabled: Type.Boolean(),
  security_contact_user_id: Type.String({ description: 'empty: by role' }),
  deny_notify_min_risk: Type.Integer(),
  watch_spec: text,
  watch_presets: Type.Array(Type.Enum([...watchPresets])),
  require_second_approver: Type.Boolean(),
  auto_lease_seconds: Type.Integer(),
  monitor_tool_calls: Type.Boolean({ description: 'A model judges each call of a tool' }),
  gov_model_provider: text,
  gov_model_id: text,
  gov_model_credential_id: text,
  effective_second_approver: Type.Object({
    min_security_level: Type.Integer({ description: '0: one person decides everything alone' }),
    min_security_level_label: text,
    source: Type.Enum(['workspace', 'tier', 'none']),
    tier_floor_security_level: Type.Integer(),
    tier_floor_label: text,
  }),
  warning: optional(Type.String({ description: 'What follows from it that nobody may want' })),
})

const GovernancePatch = Type.Object({
  enabled: optional(Type.Boolean()),
  security_contact_user_id: optional(Type.String({ maxLength: 64 })),
  deny_notify_min_risk: optional(Type.Integer({ minimum: 1, maximum: 10 })),
  watch_spec: optional(prose(4096)),
  watch_presets: optional(Type.Array(Type.Enum([...watchPresets]), { maxItems: watchPresets.length })),
  require_second_approver: optional(Type.Boolean()),
  auto_lease_seconds: optional(Type.Integer({ minimum: 0, maximum: leaseSeconds.most, description: '0: none' })),
  monitor_tool_calls: optional(Type.Boolean({ description: 'Whether a model judges each call of a tool' })),
  gov_model_provider: optional(Type.Enum([...judgeProviders, ''])),
  gov_model_id: optional(line(200)),
  gov_model_credential_id: optional(Type.String({ maxLength: 64 })),
})

const changing = {
  access: 'ADMIN',
  scope: 'workspace:admin',
  stepUp: true,
  status: 200,
  journal: ['keeper.decision'],
} as const
const onChanging = ['insufficient_role'] as const
const probing = {
  access: 'ADMIN',
  scope: 'workspace:admin',
  status: 200,
  journal: false,
  noDryRun: 'it is a trial itself',
  reply: JudgeTest,
} as const

/** The judge of credentials, and how it is administered. docs/keeper.md. */
export const keeper = {
  ...keeperRequests,
  ...keeperEvaluations,
  ...keeperMeasuring,
  config: get('/admin/keeper/config', {
    summary: 'Show how the judge of credentials is set up, and where each value comes from',
    access: 'ADMIN',
    reply: JudgeConfig,
  }),
  setConfig: put('/admin/keeper/config', {
    ...changing,
    summary: 'Set up the judge; members that are not named stay, empty ones are taken back',
    body: JudgeConfigPatch,
    reply: JudgeConfig,
    throws: [...onChanging, 'unavailable'],
  }),
  resetConfig: del('/admin/keeper/config', {
    ...changing,
    summary: 'Take back all that was set of the judge',
    reply: JudgeConfig,
    throws: onChanging,
  }),
  models: get('/admin/keeper/judge/models', {
    summary: "List the models of a judge's server",
    access: 'ADMIN',
    query: Type.Object({
      endpoint: optional(Type.String({ maxLength: 2048, description: 'that of the judge when absent' })),
    }),
    reply: Type.Object({
      endpoint: text,
      models: Type.Array(text),
      suggestions: Type.Array(Type.Object({ url: text, label: text })),
      error: optional(text),
    }),
    throws: ['rate_limited'],
  }),
  test: post('/admin/keeper/judge/test', {
    ...probing,
    summary: 'Try the judge, or another address and model, with one question',
    bodyOptional: true,
    body: Type.Object({ judge_endpoint_url: optional(Endpoint), judge_model: optional(line(200)) }),
    throws: ['rate_limited'],
  }),
  testHosted: post('/admin/keeper/judge/test-hosted', {
    ...probing,
    summary: 'Try a model of a provider as a judge with one question',
    body: Type.Object({
      provider: Type.String({ minLength: 1, maxLength: 40, description: "A provider's name in lower case" }),
      model: Type.String({ minLength: 1, maxLength: 200, pattern: '^\\S+$' }),
      credential_id: optional(Type.String({ maxLength: 64, description: "empty: this server's own key" })),
    }),
    throws: ['rate_limited', 'unavailable'],
  }),
  aux: get('/admin/keeper/aux', {
    summary: 'List who judges what beside credentials',
    access: 'ADMIN',
    reply: Evaluators,
  }),
  setAux: put('/admin/keeper/aux/:slot', {
    ...changing,
    summary: 'Set who judges one thing; empty members are taken back',
    body: Type.Object({
      provider: optional(Type.String({ maxLength: 40 })),
      model: optional(line(200)),
      timeout_ms: optional(Whole(judgeTimeout.ofEvaluator, '1000 to 600000; 0 takes it back')),
      credential_id: optional(Type.String({ maxLength: 64 })),
    }),
    reply: Evaluators,
    throws: [...onChanging, 'unavailable'],
  }),
  resetAux: del('/admin/keeper/aux', {
    ...changing,
    summary: 'Take back all that was set of who judges what',
    reply: Evaluators,
    throws: onChanging,
  }),
  resetSlot: del('/admin/keeper/aux/:slot', {
    ...changing,
    summary: 'Take back what was set of who judges one thing',
    reply: Evaluators,
    throws: onChanging,
  }),
  useJudge: post('/admin/keeper/aux/use-judge', {
    ...changing,
    summary: 'Let the judge of credentials judge all else too',
    reply: Evaluators,
    throws: onChanging,
  }),
  probe: post('/admin/keeper/aux/:slot/probe', {
    ...probing,
    summary: 'Try who judges one thing with one question',
    throws: ['rate_limited', 'unavailable'],
  }),
  governance: get('/admin/keeper/governance', {
    summary: 'Show what the workspace asks of the judge',
    access: 'ADMIN',
    reply: Governance,
  }),
  setGovernance: put('/admin/keeper/governance', {
    ...changing,
    summary: 'Set what the workspace asks of the judge; members that are not named stay',
    body: GovernancePatch,
    reply: Governance,
    throws: [...onChanging, 'unavailable'],
  }),
}
