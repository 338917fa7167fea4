import type { preferences } from '#contract/preferences'
import type { App } from '#kernel/app'
import type { Call } from '#kernel/feature'
import { problem } from '#kernel/problem'
import { queries } from './queries.ts'

/** Keys of a user. */
const most = 100

/** The values by key, as JSON text: they are joined as they were stored. */
export const list = ({ db }: App, user: string): string =>
  `{${queries(db)
    .listOf.all(user)
    .map(({ key, value_json }) => `${JSON.stringify(key)}:${value_json}`)
    .join(',')}}`

export function set({ db }: App, { actor, key, body, now }: Call<typeof preferences.set>): undefined {
  checkKey(key)
  const value_json = toText(body)
  if (queries(db).others.get(actor.id, key)!.count >= most)
    throw problem('invalid_field', {
      field: 'key',
      detail: `There are ${most} preferences already; remove one first`,
    })
  queries(db).set.run({ user: actor.id, key, value_json, now })
}

/** Deletes a key; an absent one is no error. */
export function remove({ db }: App, { actor, key }: Call<typeof preferences.remove>): undefined {
  checkKey(key)
  queries(db).remove.run(actor.id, key)
}

function checkKey(key: string): void {
  if (!/^[A-Za-z0-9._-]{1,64}$/.test(key))
    throw problem('invalid_field', { field: 'key', detail: 'key must be 1 to 64 of a-z, A-Z, 0-9, ".", "_" and "-"' })
}

/** Refuses what would come back as something else, or not at all. */
function toText(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) => {
    if (typeof part === 'number' && !Number.isFinite(part))
      throw problem('invalid_json', { detail: 'A number in the body is too large to be kept' })
    return part
  })
}

/** The values themselves, by key. */
export const valuesOf = ({ db }: App, user: string): Record<string, unknown> =>
  Object.fromEntries(
    queries(db)
      .listOf.all(user)
      .map(({ key, value_json }) => [key, JSON.parse(value_json) as unknown]),
  )
