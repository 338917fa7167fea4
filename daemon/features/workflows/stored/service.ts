import { mostTemplates } from '#contract/workflows'
import type { App } from '#kernel/app'
import { blankToNull, cleanName, pageOf, requireSome } from '#kernel/http/fields'
import { newId } from '#kernel/ids'
import { problem } from '#kernel/problem'
import { type Kind, queries, type Row } from '../queries.ts'

/** A template that comes with Muster. */
export type Builtin = Pick<Row, 'name' | 'description' | 'icon' | 'color'> & { template: object }

/** A kind of template: how it is called, and which come with Muster. */
export interface Sort {
  kind: Kind
  noun: string
  builtins: readonly Builtin[]
}

interface Members {
  name?: string | null
  description?: string | null
  icon?: string | null
  color?: string | null
  /** As it is stored. */
  template_json?: string | null
}

/** A template as it is stored. */
export type Template = Row

type Window = Parameters<typeof pageOf>[0]

/** Templates of the workspace. Those that come with Muster are stored with the first list. */
export async function templates(app: App, sort: Sort, workspace: string, query: Window): Promise<Row[]> {
  if (lacksBuiltins(app, sort, workspace)) await app.write(() => storeBuiltins(app, sort, workspace))
  const { limit, offset } = pageOf(query, { fallback: 500 })
  return queries(app.db).list.all(workspace, sort.kind, limit, offset)
}

/** A template of the workspace, or `not_found`. */
export function findTemplate({ db }: App, { kind, noun }: Sort, workspace: string, id: string): Row {
  const row = queries(db).find.get(workspace, kind, id)
  if (!row) throw problem('not_found', { detail: `There is no such ${noun}` })
  return row
}

/** Stores a new template. */
export function addTemplate(app: App, sort: Sort, workspace: string, members: Members & { name: string }): Row {
  const { kind, noun } = sort
  if (lacksBuiltins(app, sort, workspace)) storeBuiltins(app, sort, workspace)
  const { count, insert } = queries(app.db)
  if (count.get(workspace, kind, 0)! >= mostTemplates)
    throw problem('templates_full', { detail: `A workspace has at most ${mostTemplates} ${noun}s of its own` })
  const now = app.now()
  const row = insert.get({
    id: newId(app.clock()),
    workspace_id: workspace,
    kind,
    name: nameOf(members.name),
    description: blankToNull(members.description),
    template_json: members.template_json!,
    icon: blankToNull(members.icon),
    color: blankToNull(members.color),
    is_builtin: 0,
    created_at: now,
    updated_at: now,
  })
  return row ?? taken(noun, members.name)
}

/** Changes what is given and not null; empty text clears a description, an icon or a color. */
export function changeTemplate(app: App, sort: Sort, before: Row, members: Members): Row {
  const given = Object.fromEntries(Object.entries(members).filter(([, value]) => value !== null)) as Members
  requireSome(given, ['name', 'description', 'template_json', 'icon', 'color'])
  const { name = before.name, description = before.description, icon = before.icon, color = before.color } = given
  const row = queries(app.db).update.get({
    ...before,
    name: nameOf(name!),
    description: blankToNull(description),
    template_json: given.template_json ?? before.template_json,
    icon: blankToNull(icon),
    color: blankToNull(color),
    updated_at: app.now(),
  })
  return row ?? taken(sort.noun, name!)
}

/** A template of the workspace that people may change. */
export function ownTemplate(app: App, sort: Sort, workspace: string, id: string): Row {
  const row = findTemplate(app, sort, workspace, id)
  if (row.is_builtin)
    throw problem('builtin_kept', { detail: `The ${sort.noun} "${row.name}" comes with Muster and stays as it is` })
  return row
}

/** Deletes a template for good. */
export const dropTemplate = ({ db }: App, { id }: Row): void => void queries(db).remove.run(id)

const lacksBuiltins = ({ db }: App, { kind, builtins }: Sort, workspace: string): boolean =>
  queries(db).count.get(workspace, kind, 1)! < builtins.length

function storeBuiltins(app: App, { kind, builtins }: Sort, workspace: string): void {
  const now = app.now()
  for (const { template, ...members } of builtins)
    queries(app.db).insert.run({
      ...members,
      id: newId(app.clock()),
      workspace_id: workspace,
      kind,
      template_json: JSON.stringify(template),
      is_builtin: 1,
      created_at: now,
      updated_at: now,
    })
}

const nameOf = (name: string) => cleanName('name', name, { min: 1, max: 100, unit: 'characters' })

function taken(noun: string, name: string): never {
  throw problem('name_taken', { field: 'name', detail: `Another ${noun} is called "${name.trim()}"` })
}
