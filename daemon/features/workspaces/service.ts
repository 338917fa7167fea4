import type { Static } from 'typebox'
import type { Role } from '#contract/roles'
import type { Workspace, workspaces } from '#contract/workspaces'
import type { App } from '#kernel/app'
import type { Actor, Call } from '#kernel/feature'
import { cleanName, pageOf } from '#kernel/fields'
import { newId } from '#kernel/ids'
import { problem } from '#kernel/problem'
import { enrol, rolesOf } from '../members/service.ts'
import { languageName } from './languages.ts'
import { queries, type Row } from './queries.ts'

type Shown = Static<typeof Workspace>

const present = ({ allow_privileged_credentials, ...row }: Row, role?: Role | null): Shown => ({
  ...row,
  allow_privileged_credentials: allow_privileged_credentials === 1,
  ...(role && { currentUserRole: role }),
})

function counts({ db }: App, id: string) {
  const _count = queries(db).counts.get({ id })!
  const { crews, agents, members } = _count
  return { _count, ...(crews && { _count_crews: crews }), ...(agents && { _count_agents: agents }), ...(members && { _count_members: members }) }
}

export function list(app: App, { actor, query }: Call<typeof workspaces.list>): Shown[] {
  const { limit, offset } = pageOf(query, { fallback: 500 })
  const rows = queries(app.db).listOf.all(actor.id, limit, offset)
  return rows.map(({ role, ...row }) => ({ ...present(row, role), ...counts(app, row.id) }))
}

export function show(app: App, { workspace, role }: Actor): Shown {
  const row = queries(app.db).find.get(workspace)
  if (!row) throw problem('not_found')
  return { ...present(row, role), ...counts(app, workspace) }
}

interface Draft {
  name: string
  slug: string
  preferred_language?: string
  owner: string
  now: string
  home?: true
}

/** Makes a workspace with its owner, within a change; null when the slug is taken. */
export function found(app: App, { name, slug, preferred_language, owner, now, home }: Draft, id = newId(app.clock())): Row | null {
  const row = queries(app.db).insert.get({ id, name, slug, preferred_language: preferred_language?.trim() || null, home: home ? 1 : 0, now })
  if (row) enrol(app, { workspace: id, user: owner, role: 'OWNER', now })
  return row ?? null
}

export function create(app: App, { actor, body, now }: Call<typeof workspaces.create>): Shown {
  const { slug, preferred_language } = body
  // An address names a workspace by id or by slug: nobody may choose a slug that could be another one's id.
  if (/^c[a-z0-9]{24}$/.test(slug)) throw problem('invalid_field', { field: 'slug', detail: 'slug must not have the form of an id' })
  if (preferred_language?.trim() && !languageName(preferred_language))
    throw problem('invalid_field', {
      field: 'preferred_language',
      detail: `There is no language called ${preferred_language}; give an English name or a code, as German or de`,
    })
  const name = cleanName('name', body.name, { min: 2, max: 100, unit: 'characters' })
  const row = found(app, { ...body, name, owner: actor.id, now })
  if (!row) throw problem('slug_taken', { field: 'slug' })
  return present(row)
}

/** Whether this names a workspace that is there. */
export const isWorkspace = ({ db }: App, id: string): boolean => queries(db).find.get(id) !== undefined

/** The English name of the language that agents of this workspace answer in; null when they may choose. */
export function languageOf({ db }: App, workspace: string): string | null {
  const given = queries(db).find.get(workspace)?.preferred_language
  return given ? languageName(given) : null
}

/** The workspace whose owners own the server; undefined before the first user, or when it was deleted. */
export const homeOf = ({ db }: App): string | undefined => queries(db).home.get()?.id

/** The role of a user in the workspace that stands for the whole server; undefined for strangers to it. */
export function homeRoleOf(app: App, user: string): Role | undefined {
  const home = homeOf(app)
  return home === undefined ? undefined : rolesOf(app, user).get(home)
}
