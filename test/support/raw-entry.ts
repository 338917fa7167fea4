import { Type } from 'typebox'
import { type About, type FactName, facts } from '#contract/entries'
import type { FactDefinition, Severity } from '#contract/entries/define'
import type { App } from '#kernel/app'
import type { Recorded } from '#kernel/journal/journal'

/** An entry as a test makes it up. */
export interface RawEntry extends About {
  type: string
  summary: string
  payload?: Record<string, unknown>
}

const madeUp = 'a.raw.entry' as FactName
const definitions = facts as unknown as Record<string, FactDefinition>

/** Records an entry with any type, sentence and payload, within a change; nothing reacts to it. */
export function rawEntry(app: App, { type, summary, payload = {}, ...about }: RawEntry): Recorded {
  const severity: Severity = 'info'
  definitions[madeUp] = { type, severity, payload: Type.Unknown(), says: () => summary }
  try {
    return app.journal({ name: madeUp, payload: payload as never, about })
  } finally {
    delete definitions[madeUp]
  }
}
