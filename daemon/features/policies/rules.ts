import type { AutonomyLevel } from '#contract/policies'

/**
 * What becomes of something that an agent wants to do: `ask` an approval in the inbox comes first; `inbox` done, with a
 * notice in the inbox; `notice` done, with a notice in the journal; `journal` done and journaled; `refuse` refused.
 */
export type Verdict = 'ask' | 'inbox' | 'notice' | 'journal' | 'refuse'

const [Q, I, L, J, X] = ['ask', 'inbox', 'notice', 'journal', 'refuse'] as const
const levels = ['strict', 'guided', 'trusted', 'full'] as const satisfies readonly AutonomyLevel[]

/** docs/rules/policies.md: the whole of what crews may do, in the order strict, guided, trusted, full. */
const matrix = {
  memory_write: [Q, Q, I, J],
  skill_create: [Q, Q, Q, I],
  skill_assign: [Q, L, L, L],
  persona_suggest: [Q, Q, Q, J],
  persona_direct_write: [X, X, X, X],
  negative_learning: [Q, L, J, J],
  ephemeral_spawn: [X, Q, L, J],
  crew_create: [X, Q, Q, I],
  agent_create: [X, Q, Q, I],
  routine_schedule_create: [X, I, L, L],
  mission_create: [Q, I, L, J],
  assignment_create: [Q, I, L, J],
  issue_write: [Q, L, L, J],
  page_write: [Q, L, L, J],
  escalation_create: [L, L, L, J],
} as const satisfies Record<string, readonly [Verdict, Verdict, Verdict, Verdict]>

export const policyActions = Object.keys(matrix) as (keyof typeof matrix)[]

/** An action that the table does not know is asked about at every level. */
export const verdictOf = (action: string, level: AutonomyLevel): Verdict =>
  Object.hasOwn(matrix, action) ? matrix[action as keyof typeof matrix][levels.indexOf(level)]! : 'ask'
