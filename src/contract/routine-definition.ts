import { type Static, type TProperties, Type } from 'typebox'
import { line, oneLine, prose } from './fields.ts'

export const stepTypes = [
  'agent_run',
  'call_pipeline',
  'http',
  'code',
  'script',
  'transform',
  'wait',
  'notify',
  'query',
  'foreach',
  'platform',
] as const
export type StepType = (typeof stepTypes)[number]

/** Steps of a routine, items of a foreach, and steps that are at work at the same time in one run. */
export const [mostRoutineSteps, mostItems, mostAtOnce] = [500, 1000, 12]
/** Bytes of what one `code` step reckons with, and of a definition as JSON, which may need two for one of them. */
export const [mostCode, mostDefinition] = [1_048_576, 3_145_728]
/** Routines that call each other, one below the other. */
export const deepestCall = 10

/** Grades of work, the simplest first. */
export const modelTiers = ['trivial', 'fast', 'moderate', 'smart'] as const
export type ModelTier = (typeof modelTiers)[number]

export const waitKinds = ['approval', 'datetime', 'event'] as const
export const platformActions = [
  'issue.create',
  'issue.update',
  'issue.comment',
  'issue.link',
  'assignment.create',
  'escalation.create',
] as const
export const inputTypes = ['string', 'number', 'boolean', 'object', 'array'] as const

const stepId = '^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$'
const StepId = Type.String({
  pattern: stepId,
  description: 'letters, digits, _ and -, at most 64, beginning with a letter',
})
const strict = <P extends TProperties>(properties: P) => Type.Object(properties, { additionalProperties: false })
const template = (most: number, says: string) => Type.String({ maxLength: most, description: says })
const anything = Type.Unsafe<unknown>({})
const members = Type.Unsafe<Record<string, unknown>>({ type: 'object' })
const texts = Type.Unsafe<Record<string, string>>({ type: 'object', additionalProperties: { type: 'string' } })

const Retry = strict({
  max_attempts: Type.Integer({ minimum: 1, maximum: 10, description: 'How often the step is tried, at most' }),
  backoff: Type.Optional(
    strict({
      min_ms: Type.Optional(Type.Integer({ minimum: 0, maximum: 3_600_000, description: '1000 unless stated' })),
      max_ms: Type.Optional(Type.Integer({ minimum: 0, maximum: 3_600_000, description: '60000 unless stated' })),
      factor: Type.Optional(Type.Number({ minimum: 1, maximum: 10, description: '2 unless stated' })),
      jitter: Type.Optional(Type.Boolean({ description: 'Up to half as long at random; true unless stated' })),
    }),
  ),
  retry_on: Type.Optional(
    Type.Array(Type.String({ minLength: 1, maxLength: 200 }), {
      minItems: 1,
      maxItems: 20,
      description: 'Only failures that say one of these words are tried again; all of them unless stated',
    }),
  ),
})

const Validation = strict({
  schema: Type.Optional(Type.Unsafe<Record<string, unknown>>({ type: 'object', description: 'A JSON schema' })),
  must_contain: Type.Optional(Type.Array(Type.String({ maxLength: 1000 }), { maxItems: 20 })),
  must_not_contain: Type.Optional(Type.Array(Type.String({ maxLength: 1000 }), { maxItems: 20 })),
  min_length: Type.Optional(Type.Integer({ minimum: 0, maximum: 1_000_000 })),
  max_length: Type.Optional(Type.Integer({ minimum: 0, maximum: 1_000_000 })),
})

const Outcomes = strict({
  criteria: Type.Array(strict({ name: line(100), rule: prose(2000) }), { minItems: 1, maxItems: 20 }),
  grader_agent_slug: Type.String({ maxLength: 50 }),
  max_iterations: Type.Optional(Type.Integer({ minimum: 1, maximum: 10, description: '1 unless stated' })),
  on_fail: Type.Optional(Type.Enum(['abort', 'continue'], { description: 'abort unless stated' })),
})

/** Steps that belong to a step; they are checked one by one. */
const beside = Type.Array(Type.Unsafe<Record<string, unknown>>({ type: 'object', description: 'Steps' }), {
  maxItems: 10,
})

const any = {
  id: StepId,
  name: Type.Optional(line(200)),
  if: Type.Optional(
    template(4096, 'The step is left out unless this CEL expression is true, or the template is not empty or false'),
  ),
  needs: Type.Optional(Type.Array(StepId, { maxItems: mostRoutineSteps })),
  timeout_seconds: Type.Optional(Type.Integer({ minimum: 1, maximum: 2_592_000 })),
  validation: Type.Optional(Validation),
  retry: Type.Optional(Retry),
  on_fail: Type.Optional(
    Type.Enum(['abort', 'retry_step', 'continue'], {
      description: 'abort unless stated: the run fails; retry_step: once more, unless retry says how often',
    }),
  ),
  hooks: Type.Optional(strict({ before: Type.Optional(beside), after: Type.Optional(beside) })),
}

const Http = strict({
  method: Type.Enum(['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD']),
  url: template(4096, 'https'),
  headers: Type.Optional(texts),
  body: Type.Optional(anything),
  credential_ref: Type.Optional(
    strict({
      type: Type.String({ maxLength: 100, description: 'A name of credentials_required' }),
      inject_as: Type.Enum(['bearer', 'header', 'query']),
      header_name: Type.Optional(Type.String({ maxLength: 100, pattern: '^[A-Za-z0-9-]+$' })),
      query_name: Type.Optional(Type.String({ maxLength: 100, pattern: '^[A-Za-z0-9_.-]+$' })),
    }),
  ),
  success_codes: Type.Optional(
    Type.Array(Type.Integer({ minimum: 100, maximum: 599 }), { maxItems: 100, description: '200, 201, 202, 204' }),
  ),
  max_response_bytes: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 52_428_800, description: '1 MiB unless stated' }),
  ),
})

/** The folder that the agents of a crew share, as definitions name it. */
export const sharedFolder = '/crew/shared'

const Script = strict({
  path: Type.String({
    maxLength: 500,
    pattern: '^(/crew/shared/)?[A-Za-z0-9_][A-Za-z0-9_.+-]*(/[A-Za-z0-9_][A-Za-z0-9_.+-]*)*$',
    description: `a file below ${sharedFolder}, such as checks/links.py`,
  }),
  interpreter: Type.Optional(
    Type.String({
      pattern: '^[A-Za-z0-9][A-Za-z0-9._+-]{0,63}$',
      description: 'a program of the container, such as python3; the one for the name of the file unless stated',
    }),
  ),
  args: Type.Optional(Type.Array(template(10_000, 'A template'), { maxItems: 50 })),
  env: Type.Optional(texts),
  sha256: Type.Optional(
    Type.String({ pattern: '^[0-9a-f]{64}$', description: 'the SHA-256 that the file must have, in hexadecimal' }),
  ),
})

const Wait = strict({
  kind: Type.Enum([...waitKinds]),
  approval_prompt: Type.Optional(prose(4000)),
  until: Type.Optional(template(200, 'A time such as 2026-12-24T08:00:00Z, or a template of one')),
  event_type: Type.Optional(Type.String({ maxLength: 100, pattern: '^[a-zA-Z0-9_.:-]+$' })),
})

const Notify = strict({
  to: template(200, 'workspace, trigger, user:ID, role:ROLE or crew:SLUG'),
  title: prose(500),
  body: Type.Optional(prose(20_000)),
  priority: Type.Optional(Type.Enum(['urgent', 'high', 'medium', 'low'])),
  category: Type.Optional(Type.String({ maxLength: 100 })),
})

/** What each type of step takes beside what all steps take. */
const kinds = {
  agent_run: strict({
    ...any,
    type: Type.Literal('agent_run'),
    agent_slug: Type.String({ maxLength: 50, description: 'SLUG of the routine’s crew, or CREW/SLUG' }),
    prompt: prose(100_000),
    outcomes: Type.Optional(Outcomes),
    complexity: Type.Optional(
      Type.Enum([...modelTiers], {
        description: 'The grade of model that the work needs; the agent’s own unless stated',
      }),
    ),
    model_override: Type.Optional(
      Type.String({
        maxLength: 200,
        pattern: '^[A-Za-z0-9][A-Za-z0-9._:/@[\\]-]*$',
        description: 'MODEL, or ADAPTER:MODEL for agents of that client alone',
      }),
    ),
    on_fail: Type.Optional(
      Type.Enum(['abort', 'retry_step', 'escalate_tier', 'continue'], {
        description: 'As for other steps; escalate_tier: once more with each better grade of model',
      }),
    ),
  }),
  call_pipeline: strict({
    ...any,
    type: Type.Literal('call_pipeline'),
    pipeline_slug: Type.String({ maxLength: 64 }),
    inputs: Type.Optional(members),
  }),
  http: strict({ ...any, type: Type.Literal('http'), http: Http }),
  code: strict({
    ...any,
    type: Type.Literal('code'),
    code: strict({
      runtime: Type.Optional(Type.Enum(['cel', 'expr'], { description: 'The language; cel unless stated' })),
      code: template(mostCode, 'An expression over inputs, steps, run, event and env; at most 1 MiB'),
      env: Type.Optional(texts),
    }),
  }),
  script: strict({ ...any, type: Type.Literal('script'), script: Script }),
  transform: strict({
    ...any,
    type: Type.Literal('transform'),
    transform: strict({ input: anything, expression: template(1000, 'A path such as .items[0].name, or a filter') }),
  }),
  wait: strict({ ...any, type: Type.Literal('wait'), wait: Wait }),
  notify: strict({ ...any, type: Type.Literal('notify'), notify: Notify }),
  query: strict({
    ...any,
    type: Type.Literal('query'),
    query: strict({
      source: Type.Enum(['pipeline_runs', 'agent_costs', 'untriaged_issues']),
      pipeline_slug: Type.Optional(Type.String({ maxLength: 64, description: 'All routines unless stated' })),
      window_hours: Type.Optional(Type.Integer({ minimum: 1, maximum: 720, description: '24 unless stated' })),
    }),
  }),
  foreach: strict({
    ...any,
    type: Type.Literal('foreach'),
    foreach: strict({
      items: anything,
      as: Type.Optional(Type.String({ pattern: '^[a-z_][a-z0-9_]{0,31}$', description: 'item unless stated' })),
      parallelism: Type.Optional(Type.Integer({ minimum: 1, maximum: mostAtOnce, description: '1 unless stated' })),
      steps: Type.Array(Type.Unsafe<Record<string, unknown>>({ type: 'object', description: 'Steps' }), {
        minItems: 1,
        maxItems: 20,
      }),
    }),
  }),
  platform: strict({
    ...any,
    type: Type.Literal('platform'),
    action: Type.Enum([...platformActions]),
    args: members,
  }),
}

/** The schema of a step, by its type. */
export const stepSchemas: Readonly<Record<StepType, (typeof kinds)[StepType]>> = kinds

/** One step, whatever its type. */
export type RoutineStep = Static<(typeof kinds)[StepType]>
export type StepOf<T extends StepType> = Static<(typeof kinds)[T]>

export const RoutineInput = strict({
  name: Type.String({ pattern: '^[a-zA-Z_][a-zA-Z0-9_]{0,63}$', description: 'letters, digits and _' }),
  type: Type.Enum([...inputTypes]),
  required: Type.Optional(Type.Boolean()),
  default: Type.Optional(anything),
  description: Type.Optional(prose(2000)),
  min: Type.Optional(Type.Number({ description: 'Of a number its least value, of a text or list its least length' })),
  max: Type.Optional(Type.Number()),
})

const slugOfRoutine = '^[a-z0-9][a-z0-9_-]{0,63}$'
export const RoutineSlug = Type.String({
  maxLength: 64,
  pattern: slugOfRoutine,
  description: 'a-z, 0-9, _ and -, at most 64 characters',
})

/** Everything of a definition but its steps, which are checked one by one. */
export const definitionMembers = {
  dsl_version: Type.Literal('1.0'),
  name: RoutineSlug,
  display_name: Type.Optional(line(100)),
  description: Type.Optional(prose(5000)),
  inputs: Type.Optional(Type.Array(RoutineInput, { maxItems: 100 })),
  outputs: Type.Optional(
    Type.Unsafe<Record<string, unknown>>({
      type: 'object',
      description: 'What the run answers: templates by name; the output of the last step unless stated',
    }),
  ),
  egress_targets: Type.Optional(
    Type.Array(Type.String({ maxLength: 253, pattern: oneLine }), {
      maxItems: 64,
      description: 'The hosts that http steps may call; all that the network policy of the crew allows unless stated',
    }),
  ),
  credentials_required: Type.Optional(
    Type.Array(
      strict({ type: Type.String({ maxLength: 100 }), scope: Type.Optional(Type.String({ maxLength: 200 })) }),
      {
        maxItems: 64,
      },
    ),
  ),
  integrations_required: Type.Optional(
    Type.Array(Type.String({ minLength: 1, maxLength: 100 }), {
      maxItems: 64,
      description: 'Integrations without which no run begins',
    }),
  ),
  concurrency_key: Type.Optional(template(500, 'Runs with the same key count as one group; a template')),
  max_concurrent: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, description: '1 unless stated' })),
  max_cost_usd: Type.Optional(Type.Number({ minimum: 0, maximum: 100_000 })),
  estimated_cost_usd: Type.Optional(
    Type.Number({ minimum: 0, maximum: 100_000, description: 'What a run costs as a rule; for people to read' }),
  ),
  agentless: Type.Optional(Type.Boolean({ description: 'true: no step may ask an agent' })),
  parallelism: Type.Optional(
    Type.Enum(['explicit', 'auto', 'off'], {
      description: 'explicit: a step without needs follows the one before it; auto: what it cites; off: one by one',
    }),
  ),
}

const Steps = (step: object) => Type.Array(Type.Unsafe<RoutineStep>(step), { minItems: 1, maxItems: mostRoutineSteps })
const anyStep = { type: 'object' }
const hooksOf = (step: object) =>
  strict({
    before_all: Type.Optional(Type.Array(Type.Unsafe<RoutineStep>(step), { maxItems: 20 })),
    after_all: Type.Optional(Type.Array(Type.Unsafe<RoutineStep>(step), { maxItems: 20 })),
    on_failure: Type.Optional(Type.Array(Type.Unsafe<RoutineStep>(step), { maxItems: 20 })),
  })

/** A definition, its steps unchecked. */
export const LooseDefinition = strict({
  ...definitionMembers,
  hooks: Type.Optional(hooksOf(anyStep)),
  steps: Steps(anyStep),
})
export type RoutineDefinition = Static<typeof LooseDefinition>

/** The whole JSON schema of a definition, for editors. */
export const definitionSchema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'Muster routine',
  ...strict({
    ...definitionMembers,
    hooks: Type.Optional(hooksOf({ oneOf: Object.values(kinds) })),
    steps: Steps({ oneOf: Object.values(kinds) }),
  }),
}
