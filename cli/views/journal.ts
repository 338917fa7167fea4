import type { Entry } from '#contract/entries'
import { age, type Cell, when } from '../output/cell.ts'
import type { View } from '../output/printer.ts'
import type { Tone } from '../output/theme.ts'

const tones: Readonly<Record<string, Tone>> = { notice: 'cyan', warn: 'yellow', error: 'red' }

/** The colour of a severity; none for plain information. */
export const toneOf = (severity: string): Tone | undefined => tones[severity]

const severity = ({ severity }: Entry) => ({ text: severity, ...(tones[severity] && { tone: tones[severity] }) })

/** What an entry says; of one that was erased, that it was. */
const said = ({ summary }: Entry): Cell => (summary ? summary : { text: '(erased)', value: summary, tone: 'dim' })

export const entryView: View<Entry> = {
  name: ({ id }) => id,
  empty: 'No journal entries match.',
  columns: {
    ID: ({ id }) => id,
    SEVERITY: severity,
    TYPE: ({ entry_type }) => entry_type,
    SUMMARY: said,
    AGE: ({ ts }) => age(ts),
  },
  detail: {
    Id: ({ id }) => id,
    When: ({ ts }) => when(ts),
    Type: ({ entry_type }) => entry_type,
    Severity: severity,
    Priority: ({ priority }) => (priority === 'normal' ? null : priority),
    By: ({ actor_type, actor_id }) => [actor_type, actor_id].filter(Boolean).join(' '),
    Summary: said,
    Crew: ({ crew_id }) => crew_id,
    Agent: ({ agent_id }) => agent_id,
    Mission: ({ mission_id }) => mission_id,
    Trace: ({ trace_id }) => trace_id,
  },
  below: ({ payload, refs }) =>
    [payload && `Payload ${JSON.stringify(payload, null, 2)}`, refs && `Refers to ${JSON.stringify(refs, null, 2)}`]
      .filter(Boolean)
      .join('\n'),
}
