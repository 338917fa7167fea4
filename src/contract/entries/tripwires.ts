import { Type } from 'typebox'
import { tripPlaces, tripwireKinds } from '../tripwires.ts'
import { entry } from './define.ts'
import { quoted } from './quote.ts'

const text = Type.String()
const about = { tripwire_id: text, kind: Type.Enum([...tripwireKinds]) }

const where = {
  output: 'in what a run of its printed',
  call: 'in a call of its',
  request: 'in what it sent to the outside',
}

/** docs/tripwires.md. Names are left out until one is touched: everybody in the workspace reads these. */
export const tripwireFacts = {
  'tripwire.planted': entry(
    'tripwire.planted',
    'notice',
    Type.Object(about),
    ({ kind }, { person, crew }) => `${person} planted a decoy ${kind} in crew ${crew}`,
  ),
  'tripwire.tripped': entry(
    'tripwire.tripped',
    'error',
    Type.Object({ ...about, name: text, trip_id: text, place: Type.Enum([...tripPlaces]), detail: text }),
    ({ name, place }, { agent }) =>
      `${agent} touched the decoy ${quoted(name)}: it came to light ${where[place]}. The run is stopped`,
  ),
  'tripwire.rearmed': entry(
    'tripwire.rearmed',
    'notice',
    Type.Object({
      ...about,
      trips: Type.Integer(),
      false_alarm: Type.Boolean(),
      reason: Type.Optional(text),
    }),
    ({ false_alarm, trips }, { person, crew }) =>
      `${person} armed a tripwire of crew ${crew} again, after ${trips === 1 ? 'a trip' : `${trips} trips`}${
        false_alarm ? ': a false alarm' : ''
      }`,
  ),
  'tripwire.removed': entry(
    'tripwire.removed',
    'notice',
    Type.Object(about),
    ({ kind }, { person, crew }) => `${person} removed a decoy ${kind} from crew ${crew}`,
  ),
}
