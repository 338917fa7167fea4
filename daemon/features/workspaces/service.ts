import type { Static } from 'typebox'
import type { Role } from '#contract/roles'
import { laterWorkspaceMembers, type Workspace, type workspaces } from '#contract/workspaces'
import type { App } from '#kernel/app'
import { capabilitiesIn } from '#kernel/auth/standing'
import type { Actor, Call } from '#kernel/feature'
import { cleanName, pageOf, refuseLater, requireSome } from '#kernel/http/fields'
import { newId } from '#kernel/ids'
import { problem } from '#kernel/problem'
import { enrol, standing } from '../members/service.ts'
import { languageName } from './languages.ts'
import { queries, type Row } from './queries.ts'

type Shown = Static<typeof Workspace>

const present = (
  { allow_privileged_credentials, require_two_factor, require_second_approver, journal_tool_arguments, ...row }: Row,
  role?: Role | null,
): Shown => ({
  ...row,
  allow_privileged_credentials: allow_privileged_credentials === 1,
  require_two_factor: require_two_factor === 1,
  require_second_approver: require_second_approver === 1,
  journal_tool_arguments: journal_tool_arguments === 1,
  ...(role && { currentUserRole: role }),
})

const beyondRole = ({ db }: App, workspace: string, user: string) => ({
  currentUserCapabilities: capabilitiesIn(db, workspace, user),
})

function counts({ db }: App, id: string) {
  const _count = queries(db).counts.get({ id })!
  const { crews, agents, members } = _count
  return {
    _count,
    ...(crews && { _count_crews: crews }),
    ...(agents && { _count_agents: agents }),
    ...(members && { _count_members: members }),
  }
}

export function list(app: App, { actor, query }: Call<typeof workspaces.list>): Shown[] {
  const { limit, offset } = pageOf(query, { fallback: 500 })
  const rows = queries(app.db).listOf.all(actor.id, limit, offset)
  return rows.map(({ role, ...row }) => ({
    ...present(row, role),
    ...beyondRole(app, row.id, actor.id),
    ...counts(app, row.id),
  }))
}

/** A live workspace, or `not_found`. */
export function findWorkspace({ db }: App, id: string): Row {
  const row = queries(db).find.get(id)
  if (!row) throw problem('not_found')
  return row
}

export function show(app: App, { workspace, role, id }: Actor): Shown {
  const row = findWorkspace(app, workspace)
  return { ...present(row, role), ...beyondRole(app, workspace, id), ...counts(app, workspace) }
}

interface Draft {
  name: string
  slug: string
  preferred_language?: string
  owner: string
  now: string
  home?: true
}

/** Makes a workspace with its owner; null when the slug is taken. */
export function found(
  app: App,
  { name, slug, preferred_language, owner, now, home }: Draft,
  id = newId(app.clock()),
): Row | null {
  const row = queries(app.db).insert.get({
    id,
    name,
    slug,
    preferred_language: preferred_language?.trim() || null,
    home: home ? 1 : 0,
    now,
  })
  if (row) enrol(app, { workspace: id, user: owner, role: 'OWNER', now })
  return row ?? null
}

const nameOf = (given: string): string => cleanName('name', given, { min: 2, max: 100, unit: 'characters' })

/** An address names a workspace by id or by slug: nobody may choose a slug that could be another one's id. */
function checkSlug(slug: string | undefined): void {
  if (slug && /^c[a-z0-9]{24}$/.test(slug))
    throw problem('invalid_field', { field: 'slug', detail: 'slug must not have the form of an id' })
}

export function checkLanguage(given: string | null | undefined): void {
  if (!given?.trim() || languageName(given)) return
  const detail = `There is no language called ${given}; give an English name or a code, as German or de`
  throw problem('invalid_field', { field: 'preferred_language', detail })
}

export function create(app: App, { actor, body, now }: Call<typeof workspaces.create>): Shown {
  checkSlug(body.slug)
  checkLanguage(body.preferred_language)
  const row = found(app, { ...body, name: nameOf(body.name), owner: actor.id, now })
  if (!row) throw problem('slug_taken', { field: 'slug' })
  return present(row)
}

const changeable = [
  'name',
  'slug',
  'preferred_language',
  'require_two_factor',
  'require_second_approver',
  'journal_tool_arguments',
  'credential_audit_retention_days',
  'journal_retention_days',
  ...laterWorkspaceMembers,
] as const

export function update(app: App, { actor, body, now }: Call<typeof workspaces.update>): Shown {
  const role = standing(app, actor, 'ADMIN')
  requireSome(body, changeable)
  refuseLater(body, laterWorkspaceMembers)
  checkSlug(body.slug)
  checkLanguage(body.preferred_language)
  const before = findWorkspace(app, actor.workspace)
  const { name, slug = before.slug, preferred_language, require_two_factor = before.require_two_factor === 1 } = body
  if (require_two_factor !== (before.require_two_factor === 1)) mayAskForFactors(app, actor, role)
  const { require_second_approver = before.require_second_approver === 1 } = body
  if (require_second_approver !== (before.require_second_approver === 1)) ownersOnly(role, 'require_second_approver')
  const after = queries(app.db).update.get({
    ...before,
    name: name === undefined ? before.name : nameOf(name),
    slug,
    preferred_language:
      preferred_language === undefined ? before.preferred_language : preferred_language?.trim() || null,
    require_two_factor: require_two_factor ? 1 : 0,
    require_second_approver: require_second_approver ? 1 : 0,
    journal_tool_arguments: Number(body.journal_tool_arguments ?? before.journal_tool_arguments),
    ...given(body, before, 'credential_audit_retention_days'),
    ...given(body, before, 'audit_log_retention_days'),
    ...given(body, before, 'journal_retention_days'),
    updated_at: now,
  })
  if (!after) throw problem('slug_taken', { field: 'slug' })
  if (after.require_two_factor > before.require_two_factor) app.afterCommit(() => app.bus.emit('access_lost', after.id))
  app.broadcast({ channel: `workspace:${after.id}`, type: 'workspace.updated', payload: { id: after.id } })
  return { ...present(after, role), ...beyondRole(app, after.id, actor.id), ...counts(app, after.id) }
}

/** Whether two people decide about secrets of agents. */
export const secondApproverRequired = ({ db }: App, workspace: string): boolean =>
  queries(db).secondApprover.get(workspace)?.required === 1

/** Whether entries of calls of MCP tools show the arguments. */
export const showsToolArguments = ({ db }: App, workspace: string): boolean =>
  queries(db).toolArguments.get(workspace) === 1

/** Sets whether two people decide. Whoever calls records the fact. */
export function requireSecondApprover(app: App, workspace: string, required: boolean, now: string): void {
  queries(app.db).setSecondApprover.run({ id: workspace, required: required ? 1 : 0, now })
  app.broadcast({ channel: `workspace:${workspace}`, type: 'workspace.updated', payload: { id: workspace } })
}

/** Null is a value of its own. */
const given = <K extends 'credential_audit_retention_days' | 'audit_log_retention_days' | 'journal_retention_days'>(
  body: { [N in K]?: number | null },
  before: Row,
  name: K,
) => ({
  [name]: body[name] === undefined ? before[name] : body[name],
})

function ownersOnly(role: Role, field: string): void {
  if (role !== 'OWNER') throw problem('insufficient_role', { field, detail: `${field} is changed by an OWNER alone` })
}

/** Nobody locks themselves out, and nobody below the owners locks others out. */
function mayAskForFactors({ db }: App, { id }: Actor, role: Role): void {
  ownersOnly(role, 'require_two_factor')
  if (!queries(db).factorSince.get(id)?.two_factor_at)
    throw problem('second_factor_missing', {
      field: 'require_two_factor',
      detail: 'Set up a second factor of your own first: without one you could not enter the workspace any more',
    })
}

/** Whether this names a workspace that is there. */
export const isWorkspace = ({ db }: App, id: string): boolean => queries(db).find.get(id) !== undefined

/** The English name of the language that agents of this workspace answer in; null when they may choose. */
export function languageOf({ db }: App, workspace: string): string | null {
  const given = queries(db).find.get(workspace)?.preferred_language
  return given ? languageName(given) : null
}
