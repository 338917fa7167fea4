import type { Static } from 'typebox'
import { fact } from '#contract/entries'
import type { Label, labels } from '#contract/labels'
import type { App } from '#kernel/app'
import { actorOf } from '#kernel/dispatch'
import type { Call } from '#kernel/feature'
import { blankToNull, cleanName, pageOf, requireSome } from '#kernel/http/fields'
import { newId } from '#kernel/ids'
import { problem } from '#kernel/problem'
import { queries, type Row } from './queries.ts'

type Shown = Static<typeof Label>

const size = { min: 1, max: 50, unit: 'characters' } as const

export function list({ db }: App, { actor, query }: Call<typeof labels.list>): Shown[] {
  const { limit, offset } = pageOf(query, { fallback: 500 })
  return queries(db).list.all(actor.workspace, limit, offset)
}

export function create({ db, clock }: App, { actor, body, now }: Call<typeof labels.create>): Shown {
  const row = queries(db).insert.get({
    id: newId(clock()),
    workspace: actor.workspace,
    name: cleanName('name', body.name, size),
    color: body.color,
    label_group: blankToNull(body.label_group),
    created_at: now,
  })
  return row ?? taken(body.name)
}

export function update(app: App, { actor, labelId, body }: Call<typeof labels.update>): Shown {
  const before = findLabel(app, actor.workspace, labelId)
  requireSome(body, ['name', 'color', 'label_group'])
  const { name = before.name, color = before.color, label_group = before.label_group } = body
  const after = { ...before, name: cleanName('name', name, size), color, label_group: blankToNull(label_group) }
  return queries(app.db).update.get(after) ?? taken(after.name)
}

/** Deletes a label. Issues react to the fact. */
export function remove(app: App, { actor, labelId }: Call<typeof labels.remove>): undefined {
  const { id, name } = findLabel(app, actor.workspace, labelId)
  app.journal(fact('label.deleted', { entity_id: id, name }, { workspace_id: actor.workspace, ...actorOf(actor) }))
  queries(app.db).remove.run(id)
}

/** A label of the workspace, or `not_found`. */
export function findLabel({ db }: App, workspace: string, id: string): Row {
  const row = queries(db).find.get(workspace, id)
  if (!row) throw problem('not_found', { detail: 'There is no such label' })
  return row
}

function taken(name: string): never {
  throw problem('name_taken', { field: 'name', detail: `Another label is called "${name.trim()}"` })
}
