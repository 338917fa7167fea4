import type { decisions } from '#contract/decisions'
import type { Reply } from '#contract/define'
import { when } from '../output/cell.ts'
import type { View } from '../output/printer.ts'

type Decision = Reply<typeof decisions.show>

const offers = ({ state, decides }: Decision) =>
  state === 'open' ? decides.choices.map(({ label }) => label).join(', ') : null

export const decisionView: View<Decision> = {
  name: ({ id }) => id,
  columns: {
    ID: ({ id }) => id,
    KIND: ({ kind }) => kind,
    STATE: ({ state }) => state,
    OFFERS: offers,
  },
  detail: {
    Kind: ({ kind }) => kind,
    Id: ({ id }) => id,
    Item: ({ item_id }) => item_id,
    Run: ({ run_id }) => run_id,
    State: ({ state }) => state,
    Offers: offers,
    Created: ({ created_at }) => when(created_at),
    Until: ({ state, deadline_at }) => (state === 'open' ? when(deadline_at) : null),
  },
}
