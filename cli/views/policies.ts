import type { Static } from 'typebox'
import type { Policy as Schema } from '#contract/policies'
import { age, when } from '../output/cell.ts'
import type { View } from '../output/printer.ts'

/** A policy with the name of its crew, where that is known. */
export type Policy = Static<typeof Schema> & { crew?: string }

export const policyView: View<Policy> = {
  name: ({ crew, crew_id }) => crew ?? crew_id,
  empty: 'There are no crews here. Next: muster crews create NAME',
  columns: {
    NAME: ({ crew, crew_id }) => crew ?? crew_id,
    AUTONOMY: ({ autonomy_level: level }) => (level === 'full' ? { text: level, value: level, tone: 'yellow' } : level),
    BEHAVIOR: ({ behavior_mode }) => behavior_mode,
    REASON: ({ reason }) => reason,
    AGE: ({ set_at }) => age(set_at),
  },
  detail: {
    Crew: ({ crew, crew_id }) => crew ?? crew_id,
    Autonomy: ({ autonomy_level: level }) => (level === 'full' ? { text: level, value: level, tone: 'yellow' } : level),
    Behavior: ({ behavior_mode }) => behavior_mode,
    Set: ({ set_at }) => when(set_at),
    'Set by': ({ set_by_user_id }) => set_by_user_id,
    Reason: ({ reason }) => reason,
  },
}
