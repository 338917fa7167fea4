import { hash } from 'node:crypto'
import type { App } from '#kernel/app'
import { newId } from '#kernel/ids'
import { type File, type NewVersion, queries, type Version } from './queries.ts'

export type { File, Version }

/** A text of an agent or a crew. `path` says where it stands in exports. */
export type Place = Pick<NewVersion, 'workspace_id' | 'tier' | 'owner_id' | 'name' | 'path'>

export const readFile = ({ db }: App, owner: string, name: string): File | undefined =>
  queries(db).find.get(owner, name)

/** Makes this the text, as a new version of it. The text that stands there already makes none. */
export function writeFile(app: App, place: Place, content: string, by: string, now: string): File {
  const before = readFile(app, place.owner_id, place.name)
  const sha256 = hash('sha256', content, 'hex')
  if (before?.sha256 === sha256) return before
  const { keep, insert, set } = queries(app.db)
  keep.run({ workspace_id: place.workspace_id, sha256, content })
  insert.run({
    ...place,
    id: `mv_${newId(app.clock())}`,
    sha256,
    bytes: Buffer.byteLength(content),
    written_at: now,
    written_by: by,
    parent_sha: before?.sha256 ?? null,
  })
  const { workspace_id, owner_id, name } = place
  set.run({ workspace_id, owner_id, name, sha256, written_at: now })
  return { content, sha256, written_at: now }
}

/** Removes the text; its versions stay. False when there is none. */
export const removeFile = ({ db }: App, owner: string, name: string): boolean =>
  queries(db).remove.run(owner, name).changes > 0

/** The versions of a text, newest first. */
export const versionsOf = ({ db }: App, owner: string, name: string, limit: number): Version[] =>
  queries(db).versions.all(owner, name, limit)

/** A digest of all texts that an owner has now; null where there are none. */
export function digestOf({ db }: App, owner: string): string | null {
  const texts = queries(db).ofOwner.all(owner)
  if (!texts.length) return null
  return hash('sha256', texts.map(({ name, sha256 }) => `${name}\0${sha256}\n`).join(''), 'hex')
}
