import type { Static } from 'typebox'
import { fact } from '#contract/entries'
import type { Project, projects } from '#contract/projects'
import type { App } from '#kernel/app'
import { actorOf } from '#kernel/dispatch'
import type { Call } from '#kernel/feature'
import { pageOf, requireSome } from '#kernel/http/fields'
import { newId } from '#kernel/ids'
import { problem } from '#kernel/problem'
import { slugOf } from '#kernel/slugs'
import { queries, type Row } from './queries.ts'
import { freeSlug, memberNames, merge } from './rules.ts'
import { type Chosen, chosenWorker } from './workers/service.ts'

type Shown = Static<typeof Project>

/** A project of the workspace, or `not_found`. */
export function findProject({ db }: App, workspace: string, id: string): Row {
  const row = queries(db).find.get(workspace, id)
  if (!row) throw problem('not_found', { detail: 'There is no such project' })
  return row
}

const present = ({ issues, done, ...row }: Row): Shown => ({
  ...row,
  issue_count: issues,
  done_count: done,
  progress: issues ? Math.floor((100 * done) / issues) : 0,
})

export function list({ db }: App, { actor, query }: Call<typeof projects.list>): Shown[] {
  const page = pageOf(query, { fallback: 500 })
  return queries(db)
    .list.all({ workspace: actor.workspace, status: query.status ?? null, ...page })
    .map(present)
}

export const show = (app: App, { actor, projectId }: Call<typeof projects.show>): Shown =>
  present(findProject(app, actor.workspace, projectId))

export function create(app: App, { actor, body, now }: Call<typeof projects.create>): Shown {
  const { workspace } = actor
  const { insert, slugs } = queries(app.db)
  const members = merge(body)
  const lead = chosenWorker(app, workspace, 'lead', body)
  const slug = slugOf(members.name, 'project')
  const id = newId(app.clock())
  const made = insert.get({
    ...members,
    ...leadOf(lead),
    id,
    workspace,
    slug: freeSlug(slug, new Set(slugs.all(workspace, slug))),
    created_at: now,
    updated_at: now,
  })
  if (!made) taken(members.name)
  return told(app, workspace, 'created', id)
}

export function update(app: App, { actor, projectId, body, now }: Call<typeof projects.update>): Shown {
  const { workspace } = actor
  const before = findProject(app, workspace, projectId)
  requireSome(body, memberNames)
  const members = merge(body, before)
  const lead = chosenWorker(app, workspace, 'lead', body, { type: before.lead_type, id: before.lead_id } as Chosen)
  const done = queries(app.db).update.get({ ...before, ...members, ...leadOf(lead), updated_at: now })
  if (!done) taken(members.name)
  return told(app, workspace, 'updated', projectId)
}

/** Deletes a project. Its milestones and issues react to the fact. */
export function remove(app: App, { actor, projectId }: Call<typeof projects.remove>): undefined {
  const { id, name } = findProject(app, actor.workspace, projectId)
  const about = { workspace_id: actor.workspace, ...actorOf(actor) }
  app.journal(fact('project.deleted', { entity_id: id, name }, about))
  queries(app.db).remove.run(id)
  app.broadcast({ channel: `workspace:${actor.workspace}`, type: 'project.deleted', payload: { id } })
}

function told(app: App, workspace: string, what: 'created' | 'updated', id: string): Shown {
  app.broadcast({ channel: `workspace:${workspace}`, type: `project.${what}`, payload: { id } })
  return present(findProject(app, workspace, id))
}

const leadOf = ({ type, id }: Chosen) => ({ lead_type: type, lead_id: id })

function taken(name: string): never {
  throw problem('name_taken', { field: 'name', detail: `Another project is called "${name}"` })
}
