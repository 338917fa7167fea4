import type { Static } from 'typebox'
import { builtInTemplates, type CrewTemplateDraft, mostCrewTemplates } from '#contract/crew-templates'
import { fact } from '#contract/entries'
import type { App } from '#kernel/app'
import { actorOf } from '#kernel/dispatch'
import type { Happened } from '#kernel/facts'
import type { Actor } from '#kernel/feature'
import { blankToNull, cleanName } from '#kernel/http/fields'
import { newId } from '#kernel/ids'
import { problem } from '#kernel/problem'
import { isSlug } from '#kernel/slugs'
import { builtIn } from './built-in.ts'
import { queries, type Row } from './queries.ts'
import { agentsOf } from './rules.ts'
import type { Template } from './types.ts'

export type { Template, TemplateAgent } from './types.ts'

const present = ({ agents_json, ...row }: Row): Template => ({
  ...row,
  agents: JSON.parse(agents_json) as Template['agents'],
  is_builtin: false,
})

/** Templates of the workspace: those that come with Muster first, then by category and name. */
export function templatesOf({ db }: App, workspace: string): Template[] {
  const own = ownTemplates(db, workspace)
  const shadowed = new Set(own.map(({ slug }) => slug))
  const comes = builtInTemplates.filter((slug) => !shadowed.has(slug)).map((slug) => builtIn(slug)!)
  return [...comes.sort(byCategory), ...own.sort(byCategory)]
}

const ownTemplates = (db: App['db'], workspace: string) => queries(db).list.all(workspace).map(present)

const byCategory = (a: Template, b: Template) =>
  compare(a.category, b.category) || compare(a.name, b.name) || compare(a.slug, b.slug)
const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)

/** The template of that slug: the workspace's own, else the one that comes with Muster. */
export function templateFor({ db }: App, workspace: string, slug: string): Template | undefined {
  const own = queries(db).find.get(workspace, slug)
  return own ? present(own) : builtIn(slug)
}

/** As `templateFor`, or `not_found`. */
export function findTemplate(app: App, workspace: string, slug: string): Template {
  const found = templateFor(app, workspace, slug)
  if (!found) throw problem('not_found', { detail: 'There is no such crew template' })
  return found
}

interface Saving {
  actor: Actor
  slug: string
  body: Static<typeof CrewTemplateDraft>
  now: string
}

/** Stores a template of the workspace's own. Nothing is recorded when it is the same already. */
export function saveTemplate(app: App, { actor, slug, body, now }: Saving): Template {
  const { workspace } = actor
  const before = queries(app.db).find.get(workspace, slug)
  if (!isSlug(slug))
    throw problem('invalid_field', { field: 'slug', detail: 'A slug has a-z, 0-9, _ and -, 2 to 50 characters' })
  if (!before && queries(app.db).count.get(workspace)! >= mostCrewTemplates)
    throw problem('templates_full', {
      detail: `A workspace has at most ${mostCrewTemplates} crew templates of its own`,
    })
  const next: Row = {
    id: before?.id ?? newId(app.clock()),
    slug,
    name: cleanName('name', body.name, { min: 2, max: 100, unit: 'bytes' }),
    description: blankToNull(body.description ?? null),
    icon: blankToNull(body.icon ?? null),
    color: body.color ?? null,
    category: body.category,
    agents_json: JSON.stringify(agentsOf(body.agents)),
    created_at: before?.created_at ?? now,
  }
  if (before && JSON.stringify(before) === JSON.stringify(next)) return present(before)
  const row = queries(app.db).save.get({ ...next, workspace_id: workspace, updated_at: now })!
  record(app, actor, before ? 'updated' : 'created', row)
  return present(row)
}

export function removeTemplate(app: App, { actor, slug }: Pick<Saving, 'actor' | 'slug'>): undefined {
  const row = queries(app.db).find.get(actor.workspace, slug)
  if (!row && builtIn(slug))
    throw problem('builtin_kept', { detail: 'A crew template that comes with Muster cannot be deleted' })
  if (!row) throw problem('not_found', { detail: 'There is no such crew template' })
  queries(app.db).remove.run(actor.workspace, slug)
  record(app, actor, 'deleted', row)
}

const record = (app: App, actor: Actor, what: 'created' | 'updated' | 'deleted', { id, slug }: Row) =>
  app.journal(
    fact(`crew_template.${what}`, { entity_id: id, name: slug }, { workspace_id: actor.workspace, ...actorOf(actor) }),
  )

/** The templates of a deleted workspace go with it. */
export const dropTemplates = ({ db }: App, { payload }: Happened<'workspace.deleted'>): void =>
  void queries(db).drop.run(payload.entity_id)
