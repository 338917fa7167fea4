import type { Static } from 'typebox'
import { type Acting, fact } from '#contract/entries'
import type { Milestone, milestones } from '#contract/milestones'
import type { App } from '#kernel/app'
import { actorOf } from '#kernel/dispatch'
import { acting, type Happened } from '#kernel/facts'
import type { Call } from '#kernel/feature'
import { dayOf } from '#kernel/http/days'
import { blankToNull, cleanName, pageOf, requireSome } from '#kernel/http/fields'
import { newId } from '#kernel/ids'
import { problem } from '#kernel/problem'
import { findProject } from '../projects/service.ts'
import { queries, type Row } from './queries.ts'

type Shown = Static<typeof Milestone>

const size = { min: 1, max: 100, unit: 'characters' } as const

/** A milestone of the workspace, or `not_found`. */
export function findMilestone({ db }: App, workspace: string, id: string): Row {
  const row = queries(db).find.get(workspace, id)
  if (!row) throw problem('not_found', { detail: 'There is no such milestone' })
  return row
}

export function list(app: App, { actor, projectId, query }: Call<typeof milestones.list>): Shown[] {
  findProject(app, actor.workspace, projectId)
  const { limit, offset } = pageOf(query, { fallback: 500 })
  return queries(app.db).list.all(projectId, limit, offset)
}

export function create(app: App, { actor, projectId, body, now }: Call<typeof milestones.create>): Shown {
  findProject(app, actor.workspace, projectId)
  const { insert, next } = queries(app.db)
  const id = newId(app.clock())
  const made = insert.get({
    id,
    workspace: actor.workspace,
    project_id: projectId,
    name: cleanName('name', body.name, size),
    description: blankToNull(body.description),
    target_date: dayOf('target_date', body.target_date, null),
    status: body.status ?? 'active',
    position: body.position ?? next.get(projectId)!,
    created_at: now,
    updated_at: now,
  })
  if (!made) taken(body.name)
  return told(app, actor.workspace, 'created', id)
}

export function update(app: App, { actor, milestoneId, body, now }: Call<typeof milestones.update>): Shown {
  const before = findMilestone(app, actor.workspace, milestoneId)
  requireSome(body, ['name', 'description', 'target_date', 'status', 'position'])
  const { name = before.name, description = before.description, status = before.status } = body
  const done = queries(app.db).update.get({
    ...before,
    name: cleanName('name', name, size),
    description: blankToNull(description),
    target_date: dayOf('target_date', body.target_date, before.target_date),
    status,
    position: body.position ?? before.position,
    updated_at: now,
  })
  if (!done) taken(name)
  return told(app, actor.workspace, 'updated', milestoneId)
}

/** Deletes a milestone. Issues react to the fact. */
export function remove(app: App, { actor, milestoneId }: Call<typeof milestones.remove>): undefined {
  drop(app, actor.workspace, findMilestone(app, actor.workspace, milestoneId), actorOf(actor))
}

/** The milestones of a deleted project go with it. */
export function removeOfProject(app: App, { payload, about }: Happened<'project.deleted'>): void {
  for (const row of queries(app.db).ofProject.all(payload.entity_id)) drop(app, about.workspace_id!, row, acting(about))
}

function drop(app: App, workspace: string, { id, name }: { id: string; name: string }, by: Acting): void {
  app.journal(fact('milestone.deleted', { entity_id: id, name }, { workspace_id: workspace, ...by }))
  queries(app.db).remove.run(id)
  app.broadcast({ channel: `workspace:${workspace}`, type: 'milestone.deleted', payload: { id } })
}

function told(app: App, workspace: string, what: 'created' | 'updated', id: string): Shown {
  app.broadcast({ channel: `workspace:${workspace}`, type: `milestone.${what}`, payload: { id } })
  return findMilestone(app, workspace, id)
}

function taken(name: string): never {
  throw problem('name_taken', { field: 'name', detail: `The project has a milestone "${name.trim()}" already` })
}
