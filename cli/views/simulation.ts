import type { Reply } from '#contract/define'
import type { policies } from '#contract/policies'
import { cleanLine } from '../output/clean.ts'
import type { View } from '../output/printer.ts'

/** A simulated policy with the name of its crew. */
export type Simulation = Reply<typeof policies.simulate> & { crew: string }

const share = (count: number, total: number, tone: 'yellow' | 'green') => ({
  text: `${count} of ${total}`,
  value: count,
  ...(count > 0 && { tone }),
})

export const simulationView: View<Simulation> = {
  name: ({ crew }) => crew,
  columns: {
    Crew: ({ crew }) => crew,
    Policy: ({ autonomy_level: level, behavior_mode: mode }) => `${level}, ${mode}`,
    Since: ({ since, covered_since }) => covered_since ?? since,
    Entries: ({ entries }) => entries,
    'Decisions no longer asked': ({ decisions: it }) => share(it.no_longer_asked, it.total, 'green'),
    'Decisions refused instead': ({ decisions: it }) => share(it.refused, it.total, 'yellow'),
    'Unanswered no longer held': ({ held }) => share(held.no_longer_held, held.total, 'green'),
    'New approvals needed': ({ applied }) => share(applied.newly_asked, applied.total, 'yellow'),
    'Newly refused': ({ applied }) => share(applied.refused, applied.total, 'yellow'),
    'Decided otherwise': ({ differences_total: total, decisions }) => share(total, decisions.total, 'yellow'),
  },
  below: (it) => [...remarks(it), ...differences(it)].map((line) => `${line}\n`).join(''),
}

/** What the numbers can and cannot tell. */
function remarks({ decisions, held, applied, truncated, covered_since }: Simulation): string[] {
  const nothing = decisions.total + held.total + applied.total === 0
  return [
    ...(nothing
      ? [
          '',
          'The journal of this time holds nothing to judge by: no decision, and nothing that an agent did which ' +
            'the policy speaks of.',
        ]
      : []),
    ...(!nothing && decisions.total === 0
      ? ['', 'People decided nothing in this time: only what agents did without asking could be replayed.']
      : []),
    ...(truncated ? ['', `There was too much to read it all: what is older than ${covered_since} was left out.`] : []),
  ]
}

const outcomes = { granted: 'granted', denied: 'denied' } as const
const woulds = {
  ask: 'asked',
  inbox: 'let through, with a notice',
  notice: 'let through',
  journal: 'let through',
  refuse: 'refused',
} as const

function differences({ differences: found, differences_total: total }: Simulation): string[] {
  if (!found.length) return []
  const lines = found.map(
    ({ entry_id, policy_action, outcome, would, summary }) =>
      `  ${entry_id}  ${cleanLine(policy_action)}: ${outcomes[outcome]} by people, would be ${woulds[would]}  ` +
      `${cleanLine(summary)}`,
  )
  return [
    '',
    'Where the policy would have decided otherwise than people did:',
    ...lines,
    ...(total > found.length ? [`  and ${total - found.length} more`] : []),
  ]
}
