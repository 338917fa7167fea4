import type { Static } from 'typebox'
import type { IssueRelation, issues, RelationType } from '#contract/issues'
import type { App } from '#kernel/app'
import { actorOf } from '#kernel/dispatch'
import type { Call } from '#kernel/feature'
import { pageOf } from '#kernel/http/fields'
import { newId } from '#kernel/ids'
import { problem } from '#kernel/problem'
import type { Row } from '../queries.ts'
import { findIssue } from '../service.ts'
import { changed, tell } from '../telling.ts'
import { queries } from './queries.ts'

export function relations(
  app: App,
  { actor, crewId, identifier, query }: Call<typeof issues.relations>,
): Static<typeof IssueRelation>[] {
  const { id } = findIssue(app, actor.workspace, identifier, crewId)
  return queries(app.db).list.all({ issue: id, ...pageOf(query) })
}

/** Relates two issues of the workspace, which have at most one relation. */
export function relate(app: App, { actor, crewId, identifier, body, now }: Call<typeof issues.relate>) {
  const source = findIssue(app, actor.workspace, identifier, crewId)
  const target = findIssue(app, actor.workspace, body.target_identifier)
  if (source.id === target.id)
    throw problem('invalid_field', { field: 'target_identifier', detail: 'An issue has no relation to itself' })
  const { between, insert } = queries(app.db)
  if (between.get({ one: source.id, other: target.id }))
    throw problem('relation_exists', { detail: `${source.identifier} and ${target.identifier} are related already` })
  checkCycle(app, body.relation_type, source, target)
  const id = newId(app.clock())
  insert.run({ id, source_id: source.id, target_id: target.id, relation_type: body.relation_type, created_at: now })
  changed(app, source, actorOf(actor), 'relation_added', `${body.relation_type} ${target.identifier}`)
  tell(app, source, 'issue.updated')
  return { id, status: 'ok' as const }
}

/** Issues that wait for each other, or that are each other's duplicates, lead nowhere. */
function checkCycle({ db }: App, type: RelationType, source: Row, target: Row): void {
  const { blocks, duplicates } = queries(db)
  const [first, last] = type === 'blocked_by' ? [target, source] : [source, target]
  const isThere = { blocks, blocked_by: blocks, duplicate_of: duplicates, relates_to: null }[type]
  if (!isThere?.get({ upper: last.id, lower: first.id })) return
  const deed = type === 'duplicate_of' ? 'is a duplicate of' : 'blocks'
  const detail = `${last.identifier} ${deed} ${first.identifier} already, by way of others`
  throw problem('invalid_field', { field: 'target_identifier', detail })
}

export function unrelate(app: App, { actor, relationId }: Call<typeof issues.unrelate>) {
  const found = queries(app.db).find.get(actor.workspace, relationId)
  if (!found) throw problem('not_found', { detail: 'There is no such relation' })
  const source = findIssue(app, actor.workspace, found.source_id)
  const target = findIssue(app, actor.workspace, found.target_id)
  queries(app.db).remove.run(found.id)
  changed(app, source, actorOf(actor), 'relation_removed', `${found.relation_type} ${target.identifier}`)
  tell(app, source, 'issue.updated')
  return { status: 'ok' as const }
}
