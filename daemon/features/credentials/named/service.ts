import type { Acting } from '#contract/entries'
import type { App } from '#kernel/app'
import { note } from '../audit/service.ts'
import { statusOf } from '../rules.ts'
import { openValue } from '../values.ts'
import { queries } from './queries.ts'

interface Wanted {
  workspace: string
  crew: string | null
  /** Its name, or the name of its provider. */
  name: string
}

const usable = (app: App, wanted: Wanted) =>
  queries(app.db)
    .named.all(wanted)
    .find((row) => row.encrypted_value !== null && ['ACTIVE', 'RATE_LIMITED'].includes(statusOf(row, app.clock())))

/** Whether a crew may use a credential of that name. */
export const hasNamed = (app: App, wanted: Wanted): boolean => usable(app, wanted) !== undefined

/** The value of a credential, whose use is put on record; null when the crew may use none of that name. */
export function useNamed(app: App, wanted: Wanted, by: Acting, detail: Record<string, unknown>): string | null {
  const row = usable(app, wanted)
  const value = row ? openValue(app, row) : null
  if (row && value !== null) note(app, row.id, 'USE', by, detail)
  return value
}
