import type { HostAsk, HostReply, HostVerb } from '#contract/host'
import type { App } from '#kernel/app'
import { homeOf } from '#kernel/auth/home'
import { problem } from '#kernel/problem'
import { createJournalReads } from '../features/journal/reads.ts'
import { raise } from '../features/members/service.ts'
import { invalidate, resetPassword } from './accounts.ts'
import { queries, type Subject } from './queries.ts'

type Verbs = { [V in HostVerb]: (app: App, ask: HostAsk<V>) => HostReply<V> | Promise<HostReply<V>> }

/** What can be done on the host, with no daemon running. A change is one transaction with its journal entries. */
export const verbs: Verbs = {
  'list-users': (app, { locked_only, limit }) => {
    const which = { locked_after: locked_only ? app.now() : null }
    const rows = queries(app.db).users.all({ ...which, limit })
    const users = rows.map(({ two_factor_at, locked_until, ...row }) => ({
      ...row,
      locked_until: locked_until && locked_until > app.now() ? locked_until : null,
      two_factor: two_factor_at !== null,
    }))
    return { users, total: queries(app.db).countUsers.get(which)! }
  },

  'list-sessions': (app, { email, active_only, limit }) => {
    const which = { user: email === undefined ? null : userOf(app, email).id, alive_at: active_only ? app.now() : null }
    return {
      sessions: queries(app.db).sessions.all({ ...which, limit }),
      total: queries(app.db).countSessions.get(which)!,
    }
  },

  promote: (app, { email, role, workspace }) => {
    const user = userOf(app, email)
    const place = workspaceOf(app, workspace)
    const member = app.writeNow(() => raise(app, { workspace: place.id, user: user.id, role, now: app.now() }))
    return { email: user.email, workspace: place.slug, ...member }
  },

  'reset-password': (app, ask) => resetPassword(app, userOf(app, ask.email), ask),

  'invalidate-sessions': (app, { email, tokens = false }) =>
    invalidate(app, email === undefined ? queries(app.db).everybody.all() : [userOf(app, email)], tokens),

  'verify-journal': async (app) => {
    const reads = createJournalReads(app)
    const journals = []
    for (const workspace of queries(app.db).journaled.all())
      journals.push({ ...workspace, ...(await reads.verify(workspace.workspace_id, null)) })
    const sound = journals.every(({ valid }) => valid)
    const stray = sound ? app.index.head() - journals.reduce((sum, { entries }) => sum + entries, 0) : 0
    return { valid: sound && stray === 0, journals, stray }
  },
}

function userOf(app: App, email: string): Subject {
  const user = queries(app.db).user.get(email.toLowerCase())
  if (!user) throw problem('not_found', { field: 'email', detail: `There is no user with the address ${email}` })
  return user
}

/** A workspace by slug or id; the server's first one when none is named. */
function workspaceOf(app: App, named: string | undefined): { id: string; slug: string } {
  const found = queries(app.db).workspace.get({ named: named ?? homeOf(app) ?? '' })
  if (!found && named === undefined)
    throw problem('not_found', {
      field: 'workspace',
      detail: 'The first workspace of this server is gone; name another',
    })
  if (!found) throw problem('not_found', { field: 'workspace', detail: `There is no workspace ${named}` })
  return found
}
