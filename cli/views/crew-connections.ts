import type { Static } from 'typebox'
import type { CrewConnection as Schema } from '#contract/crew-connections'
import { age, word } from '../output/cell.ts'
import type { View } from '../output/printer.ts'

export const crewConnectionView: View<Static<typeof Schema>> = {
  name: ({ id }) => id,
  empty: 'No crews are connected. Next: muster crews connect CREW OTHER',
  columns: {
    ID: ({ id }) => id,
    FROM: ({ from_crew_slug }) => from_crew_slug,
    TO: ({ to_crew_slug }) => to_crew_slug,
    DIRECTION: ({ direction }) => (direction === 'bidirectional' ? 'both ways' : 'one way'),
    STATUS: ({ status }) => word(status),
    AGE: ({ created_at }) => age(created_at),
  },
  wide: { 'FROM-ID': ({ from_crew_id }) => from_crew_id, 'TO-ID': ({ to_crew_id }) => to_crew_id },
}
