import { Type } from 'typebox'
import { post } from './define.ts'
import { prose } from './fields.ts'

const profiles = ['balanced', 'strict', 'thorough'] as const
const short = Type.String({ minLength: 1, maxLength: 500, pattern: '^[^\\u0000]*$' })
const optional = Type.Optional

/** A made-up request, with all that a judge is told of it. */
const MeasuredCase = Type.Object({
  level: Type.Integer({ minimum: 1, maximum: 4 }),
  agent: short,
  crew: short,
  work: optional(Type.Array(short, { maxItems: 10 })),
  credential_name: short,
  credential_description: optional(short),
  intent: Type.String({ minLength: 1, maxLength: 4096, pattern: '^[^\\u0000]*$' }),
  command: optional(prose(4096)),
  conversation: optional(
    Type.Array(Type.Object({ role: Type.Enum(['user', 'assistant', 'tool']), content: prose(4000) }), { maxItems: 10 }),
  ),
})

/** How good the judge is, measured with requests whose answers are known. docs/keeper.md, "Measure the judge". */
export const keeperMeasuring = {
  evaluate: post('/admin/keeper/judge/measure', {
    summary: 'Ask the judge about made-up requests, as if agents had made them; nothing is stored',
    access: 'ADMIN',
    scope: 'workspace:admin',
    status: 200,
    journal: false,
    noDryRun: 'it is a trial itself',
    body: Type.Object({
      cases: Type.Array(MeasuredCase, { minItems: 1, maxItems: 10 }),
      profile: optional(Type.Enum([...profiles, ''], { description: 'In place of the one that is set up' })),
    }),
    reply: Type.Object({
      stamp: Type.String({ description: 'The manner of judging, in a line' }),
      outcomes: Type.Array(
        Type.Object({
          decision: Type.Enum(['ALLOW', 'DENY', 'ESCALATE']),
          reason: Type.String(),
          risk: Type.Integer(),
          rule: Type.String({ description: 'What decided' }),
          latency_ms: Type.Integer(),
          prompt_tokens: Type.Integer({ description: 'Estimated; 0 where no judge was asked' }),
          answer_tokens: Type.Integer({ description: 'Estimated' }),
        }),
      ),
    }),
    throws: ['insufficient_role'],
  }),
}
