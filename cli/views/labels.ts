import type { Static } from 'typebox'
import type { Label as Schema } from '#contract/labels'
import { age } from '../output/cell.ts'
import type { View } from '../output/printer.ts'

export const labelView: View<Static<typeof Schema>> = {
  name: ({ name }) => name,
  empty: 'There are no labels here. Next: muster labels create NAME --color "#e11d48"',
  columns: {
    NAME: ({ name }) => name,
    COLOR: ({ color }) => color,
    GROUP: ({ label_group }) => label_group,
    AGE: ({ created_at }) => age(created_at),
  },
  wide: { ID: ({ id }) => id },
}
