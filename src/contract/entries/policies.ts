import { Type } from 'typebox'
import { autonomyLevels, behaviorModes } from '../policies.ts'
import { entry } from './define.ts'
import { quoted } from './quote.ts'

export const policyFacts = {
  'policy.changed': entry(
    'policy.changed',
    'notice',
    Type.Object({
      autonomy_level: Type.Enum([...autonomyLevels]),
      behavior_mode: Type.Enum([...behaviorModes]),
      reason: Type.Optional(Type.String()),
    }),
    ({ autonomy_level, behavior_mode, reason }, { actor, crew }) => {
      const setting = `${autonomy_level} with behavior mode ${behavior_mode}`
      return `The policy of crew ${crew} was set to ${setting} by ${actor}${reason ? `: ${quoted(reason)}` : ''}`
    },
  ),
}
