import { age, status } from '../output/cell.ts'
import type { View } from '../output/printer.ts'
import type { Standing } from '../runs/standing.ts'

export const standingView: View<Standing> = {
  name: ({ run_id }) => run_id,
  empty: 'Nothing runs, waits or is queued. Next: muster ask AGENT "..."',
  columns: {
    ID: ({ run_id }) => run_id,
    AGENT: ({ agent }) => agent,
    STATE: ({ state }) => status(state),
    'WAITS-FOR': ({ waits_for }) => waits_for,
    QUESTION: ({ question }) => question,
    AGE: ({ since }) => age(since),
  },
}
