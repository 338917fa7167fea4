import { deliveries } from '#contract/credentials'
import type { Acting } from '#contract/entries'
import type { App } from '#kernel/app'
import { note } from '../audit/service.ts'
import { tierOf } from '../levels/service.ts'
import { statusOf } from '../rules.ts'
import { openValue } from '../values.ts'
import { type Found, queries } from './queries.ts'

interface Wanted {
  workspace: string
  crew: string | null
  /** Its name, or the name of its provider. */
  name: string
}

const works = (app: App, row: Found): boolean =>
  row.encrypted_value !== null && ['ACTIVE', 'RATE_LIMITED'].includes(statusOf(row, app.clock()))

const usable = (app: App, wanted: Wanted) =>
  queries(app.db)
    .named.all(wanted)
    .find((row) => works(app, row))

/** Whether the workspace holds a working credential for an environment variable. */
export const hasVariable = (app: App, workspace: string, name: string): boolean =>
  queries(app.db)
    .variable.all({ workspace, name })
    .some((row) => works(app, row))

/** Whether a crew may use a credential of that name. */
export const hasNamed = (app: App, wanted: Wanted): boolean => usable(app, wanted) !== undefined

/** Whether somebody stored all that the workspace holds for a variable, and there is something. */
export function isOwnNamed(app: App, wanted: { workspace: string; name: string }, user: string): boolean {
  const owners = queries(app.db).owners.all(wanted)
  return owners.length > 0 && owners.every((owner) => owner === user)
}

/** A credential that the programs of a crew are given under a variable: one that its agents may hold without asking. */
export function givenNamed(app: App, wanted: Wanted): { id: string; value: string } | null {
  const row = queries(app.db)
    .given.all(wanted)
    .find((it) => works(app, it) && deliveries[it.type] === 'file' && tierOf(it.security_level).delivered)
  const value = row ? openValue(app, row) : null
  return row && value !== null ? { id: row.id, value } : null
}

/** A credential and its value. */
export interface Named {
  id: string
  value: string
  level: number
}

/** A credential with its value, whose use is put on record; null when the crew may use none of that name. */
export function useNamed(app: App, wanted: Wanted, by: Acting, detail: Record<string, unknown>): Named | null {
  const row = usable(app, wanted)
  const value = row ? openValue(app, row) : null
  if (!row || value === null) return null
  note(app, row.id, 'USE', by, detail)
  return { id: row.id, value, level: row.security_level }
}
