import type { Static } from 'typebox'
import type { automations, Automation as Schema } from '#contract/automations'
import type { Reply } from '#contract/define'
import { age } from '../output/cell.ts'
import { compactJson } from '../output/json.ts'
import type { View } from '../output/printer.ts'

export type Automation = Static<typeof Schema>

export const automationView: View<Automation> = {
  name: ({ name }) => name,
  empty: 'There are no automations. Next: muster automations create NAME --event TYPE --routine ROUTINE',
  columns: {
    NAME: ({ name }) => name,
    EVENT: ({ event_type }) => event_type,
    ROUTINE: ({ action }) => action.routine_slug || null,
    ENABLED: ({ enabled }) => enabled,
    DEBOUNCE: ({ debounce_seconds }) => `${debounce_seconds} s`,
    'MAX-AN-HOUR': ({ max_per_hour }) => max_per_hour,
    AGE: ({ created_at }) => age(created_at),
  },
  wide: {
    MATCHER: ({ matcher }) => compactJson(matcher),
    INPUTS: ({ action }) => (action.inputs ? compactJson(action.inputs) : null),
    ID: ({ id }) => id,
  },
}

type Preview = Reply<typeof automations.preview>

export const previewView: View<Preview> = {
  name: ({ event_type }) => event_type,
  columns: {
    EVENT: ({ event_type }) => event_type,
    SCANNED: ({ scanned }) => scanned,
    MATCHED: ({ matched }) => matched,
    WHY: (row) => why(row),
  },
  wide: {
    SAMPLES: ({ samples }) => samples.map(({ ts, summary }) => `${ts}  ${summary}`).join('\n'),
  },
}

/** Why nothing matched, in words. */
export function why({ scanned, matched, window_hours, top_rejection: { clause, detail } }: Preview): string | null {
  if (scanned === 0) return `no such entry in the last ${window_hours / 24} days: there is nothing to judge by`
  return matched === 0 && clause ? `${clause}: ${detail}` : null
}
