import type { workspaces } from '#contract/workspaces'
import type { App } from '#kernel/app'
import { homeOf } from '#kernel/auth/home'
import type { Call } from '#kernel/feature'
import { problem } from '#kernel/problem'
import { removeFreeAgents } from '../../agents/service.ts'
import { removeWorkspaceCredentials } from '../../credentials/service.ts'
import { removeWorkspaceCrews } from '../../crews/service.ts'
import { rolesOf, standing } from '../../members/service.ts'
import { queries } from '../queries.ts'

/**
 * Deletes a workspace, and with it what lives in it: containers go, secrets are erased, nobody is a member any more.
 * The rows stay for the record, the slug is free again.
 */
export function remove(app: App, { actor, body, now }: Call<typeof workspaces.remove>) {
  standing(app, actor, 'OWNER')
  const id = actor.workspace
  const row = queries(app.db).find.get(id)
  if (!row) throw problem('not_found')
  const { slug } = row
  if (body.confirm_slug !== slug)
    throw problem('invalid_field', { field: 'confirm_slug', detail: 'confirm_slug is not the slug of this workspace' })
  if (homeOf(app) === id)
    throw problem('home_workspace', {
      detail: 'The owners of this workspace administer the server, so it stays; delete its crews and agents instead',
    })
  if (rolesOf(app, actor.id).size === 1)
    throw problem('only_workspace', { detail: 'This is your only workspace; create another one first' })
  removeWorkspaceCrews(app, actor, now)
  removeFreeAgents(app, actor)
  removeWorkspaceCredentials(app, actor, now)
  queries(app.db).remove.run(now, now, id)
  app.broadcast({ channel: `workspace:${id}`, type: 'workspace.deleted', payload: { id, slug } })
  app.afterCommit(() => app.bus.emit('access_lost', id))
  return { success: true, id, slug }
}
