import type { App } from '#kernel/app'
import { problem } from '#kernel/problem'
import { type FileRow, queries, type Row } from './queries.ts'

export const noSkill = () => problem('not_found', { detail: 'There is no such skill' })

/** A skill by its slug. */
export const skillCalled = ({ db }: App, slug: string): Row | undefined => queries(db).bySlug.get(slug)

/** A skill by its id or slug. */
export function findSkill({ db }: App, named: string): Row {
  const row = queries(db).byId.get(named) ?? queries(db).bySlug.get(named)
  if (!row) throw noSkill()
  return row
}

/** The files of a skill, in the order of their paths. */
export const filesOf = ({ db }: App, skill: string): FileRow[] => queries(db).files.all(skill)
