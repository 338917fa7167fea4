import { Type } from 'typebox'
import { autonomyLevels, behaviorModes } from '../policies.ts'
import { entry, quoted } from './define.ts'

export const policyFacts = {
  'policy.changed': entry(
    'policy.changed',
    'notice',
    Type.Object({
      autonomy_level: Type.Enum([...autonomyLevels]),
      behavior_mode: Type.Enum([...behaviorModes]),
      reason: Type.Optional(Type.String()),
    }),
    (it, { actor, crew }) =>
      `Policy of crew ${crew} set to ${it.autonomy_level} by ${actor}, behavior mode ${it.behavior_mode}${it.reason ? `: ${quoted(it.reason)}` : ''}`,
  ),
}
