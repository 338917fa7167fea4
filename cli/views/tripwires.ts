import type { Static } from 'typebox'
import type { Reply } from '#contract/define'
import type { Tripwire as Schema, tripwires } from '#contract/tripwires'
import { age, when } from '../output/cell.ts'
import type { View } from '../output/printer.ts'

type Tripwire = Static<typeof Schema>
type Shown = Reply<typeof tripwires.show>

const stateOf = ({ state }: Pick<Tripwire, 'state'>) =>
  state === 'tripped' ? { text: state, tone: 'red' as const } : state

export const tripwireView: View<Tripwire> = {
  name: ({ name }) => name,
  empty: 'No tripwires are planted in this crew.',
  columns: {
    NAME: ({ name }) => name,
    KIND: ({ kind }) => kind,
    SHAPE: ({ shape }) => shape,
    STATE: stateOf,
    TRIPS: ({ open_trips }) => open_trips,
    AGE: ({ created_at }) => age(created_at),
  },
}

const places: Readonly<Record<Shown['trips'][number]['place'], string>> = {
  output: 'what the run printed',
  call: 'a call of the agent',
  request: 'a request to the outside',
}

const tripLines = (it: Shown['trips'][number]): string[] => [
  `${when(it.created_at)}  agent ${it.agent_id ?? 'unknown'}, run ${it.run_id ?? 'unknown'}: ${places[it.place]}`,
  `  ${it.detail}`,
  ...it.events.map(({ entry_type, summary }) => `    ${entry_type}  ${summary}`),
  ...(it.settled_at ? [`  settled ${when(it.settled_at)}${it.false_alarm ? ' as a false alarm' : ''}`] : []),
]

export const shownTripwireView: View<Shown> = {
  name: ({ id }) => id,
  columns: tripwireView.columns as View<Shown>['columns'],
  detail: {
    Tripwire: ({ id }) => id,
    Kind: ({ kind }) => kind,
    Name: ({ name }) => name,
    Shape: ({ shape }) => shape,
    State: stateOf,
    Planted: ({ created_at }) => when(created_at),
  },
  below: ({ trips }) => (trips.length ? trips.flatMap(tripLines).join('\n') : 'Nobody has touched it.'),
}
