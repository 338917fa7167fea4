import type { workspaces } from '#contract/workspaces'
import type { App } from '#kernel/app'
import { homeOf } from '#kernel/auth/home'
import type { Happened } from '#kernel/facts'
import type { Call } from '#kernel/feature'
import { problem } from '#kernel/problem'
import { rolesOf, standing } from '../../members/service.ts'
import { queries } from '../queries.ts'
import { findWorkspace } from '../service.ts'

/**
 * Deletes a workspace. What lives in it, memberships and invitations follow its fact; the rows stay for the record, the
 * slug is free again.
 */
export function remove(app: App, { actor, body, now }: Call<typeof workspaces.remove>) {
  standing(app, actor, 'OWNER')
  const id = actor.workspace
  const { slug } = findWorkspace(app, id)
  if (body.confirm_slug !== slug)
    throw problem('invalid_field', { field: 'confirm_slug', detail: 'confirm_slug is not the slug of this workspace' })
  if (homeOf(app) === id)
    throw problem('home_workspace', {
      detail: 'The owners of this workspace administer the server, so it stays; delete its crews and agents instead',
    })
  if (rolesOf(app, actor.id).size === 1)
    throw problem('only_workspace', { detail: 'This is your only workspace; create another one first' })
  queries(app.db).remove.run(now, now, id)
  return { success: true, id, slug }
}

/** Tells the followers of the workspace, after everything deleted with it, and closes their connections. */
export function tellRemoved(app: App, { payload: { entity_id: id, name: slug } }: Happened<'workspace.deleted'>): void {
  app.broadcast({ channel: `workspace:${id}`, type: 'workspace.deleted', payload: { id, slug } })
  app.bus.emit('access_lost', id)
}
