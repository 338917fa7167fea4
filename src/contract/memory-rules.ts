import { Type } from 'typebox'
import { get } from './define.ts'
import { Id, page, Time } from './fields.ts'

export const ruleOutcomes = ['running', 'completed', 'failed', 'corrected', 'redirected'] as const
export type RuleOutcome = (typeof ruleOutcomes)[number]

/** Days after which a rule that never helped is proposed for removal. */
export const unhelpfulDays = 30

const count = (description: string) => Type.Integer({ description })

/** Rules that crews learned, and what became of the runs that were given them. docs/consolidation.md. */
export const memoryRules = {
  rules: get('/memory/rules', {
    summary: 'List the rules that crews learned, with the runs in whose prompt they were and how those ended',
    access: 'MEMBER',
    query: Type.Object({
      ...page,
      crew_id: Type.Optional(Type.String({ description: 'Id of a crew' })),
    }),
    reply: Type.Object({
      count: Type.Integer({ description: 'In this page' }),
      rules: Type.Array(
        Type.Object({
          rule_id: Id,
          crew_id: Id,
          crew_slug: Type.String(),
          pattern: Type.String(),
          action: Type.String(),
          confidence: Type.Number(),
          path: Type.String({ description: 'The memory file that it stands in' }),
          proposal_id: Id,
          learned_at: Time,
          present: Type.Boolean({ description: 'It still stands there as it was learned' }),
          reviewed_at: Type.Optional(Time),
          uses: count('Runs in whose prompt it was'),
          completed: count('Of those: came to their end without a person stepping in'),
          failed: count('Failed, or took too long'),
          corrected: count('A person refused what the run asked for, or cancelled it'),
          redirected: count('A person spoke to the agent while it worked, or sent it to another agent'),
          running: count('Have not ended'),
          last_used_at: Type.Optional(Time),
          runs: Type.Array(Type.Object({ run_id: Id, used_at: Time, outcome: Type.Enum(ruleOutcomes) }), {
            description: 'The newest 20',
          }),
        }),
      ),
    }),
  }),
}
