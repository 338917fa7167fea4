import type { Stage } from './rules.ts'
import type { Builtin } from './stored/service.ts'

const standard: Stage[] = [
  { name: 'Backlog', type: 'open', position: 1 },
  { name: 'In progress', type: 'started', position: 2 },
  { name: 'Review', type: 'started', position: 3 },
  { name: 'Done', type: 'completed', position: 4 },
  { name: 'Cancelled', type: 'cancelled', position: 5 },
]

/** Workflow templates that come with Muster. */
export const builtins: readonly Builtin[] = [
  {
    name: 'Standard',
    description: 'From the backlog by work and review to done',
    icon: 'list-checks',
    color: '#6366f1',
    template: standard,
  },
]
