/** What becomes of each action at strict, guided, trusted and full, copied by hand from docs/rules/policies.md. */
const printed = {
  memory_write: 'QQIJ',
  skill_create: 'QQQI',
  skill_assign: 'QLLL',
  persona_suggest: 'QQQJ',
  persona_direct_write: 'XXXX',
  negative_learning: 'QLJJ',
  ephemeral_spawn: 'XQLJ',
  crew_create: 'XQQI',
  agent_create: 'XQQI',
  routine_schedule_create: 'XILL',
  mission_create: 'QILJ',
  assignment_create: 'QILJ',
  issue_write: 'QLLJ',
  page_write: 'QLLJ',
  escalation_create: 'LLLJ',
  // Actions that the table does not name.
  anything_else: 'QQQQ',
  constructor: 'QQQQ',
}
const meaning: Record<string, string> = { Q: 'ask', I: 'inbox', L: 'notice', J: 'journal', X: 'refuse' }
const levels = ['strict', 'guided', 'trusted', 'full'] as const

/** The expected verdict of each action at each level of autonomy. */
export const verdicts = Object.fromEntries(
  Object.entries(printed).map(([action, letters]) => [
    action,
    Object.fromEntries(levels.map((level, at) => [level, meaning[letters[at]!]!])),
  ]),
)
