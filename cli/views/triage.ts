import type { Static } from 'typebox'
import type { TriageRule as Schema } from '#contract/triage'
import { age } from '../output/cell.ts'
import type { View } from '../output/printer.ts'

export const triageView: View<Static<typeof Schema>> = {
  name: ({ name }) => name,
  empty: 'There are no triage rules. Next: muster triage create NAME --pattern TEXT --assignee AGENT',
  columns: {
    NAME: ({ name }) => name,
    TITLE: ({ match_type, pattern }) => ({ text: `${match_type} ${pattern}`, value: pattern }),
    PRIORITY: ({ priority }) => priority,
    ENABLED: ({ enabled }) => enabled,
    MATCHES: ({ match_count }) => match_count,
    AGE: ({ created_at }) => age(created_at),
  },
  wide: {
    PLACE: ({ position }) => position,
    ASSIGNEE: ({ assignee_id }) => assignee_id,
    CREW: ({ crew_id }) => crew_id,
    PROJECT: ({ project_id }) => project_id,
    ID: ({ id }) => id,
  },
}
