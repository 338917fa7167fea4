import type { Static } from 'typebox'
import type { Reply } from '#contract/define'
import { fact } from '#contract/entries'
import type { Held, memberCapabilities } from '#contract/member-capabilities'
import type { App } from '#kernel/app'
import { capabilitiesOf } from '#kernel/auth/standing'
import { actorOf } from '#kernel/dispatch'
import type { Call } from '#kernel/feature'
import { pageOf } from '#kernel/http/fields'
import { problem } from '#kernel/problem'
import { find as findUser } from '../../users/service.ts'
import { standing } from '../service.ts'
import { type HeldRow, queries } from './queries.ts'
import { after } from './rules.ts'

const present = (row: HeldRow): Static<typeof Held> => ({
  user_id: row.user_id,
  role: row.role,
  capabilities: capabilitiesOf(row),
})

export function listHeld(
  { db }: App,
  { actor, query }: Call<typeof memberCapabilities.capabilities>,
): Reply<typeof memberCapabilities.capabilities> {
  const { limit, offset } = pageOf(query, { fallback: 500 })
  return { members: queries(db).list.all(actor.workspace, limit, offset).map(present) }
}

function find({ db }: App, workspace: string, user: string): HeldRow {
  const row = queries(db).find.get(workspace, user)
  if (!row) throw problem('not_found', { field: 'userId', detail: 'That person is no member of the workspace' })
  return row
}

export const showHeld = (
  app: App,
  { actor, userId }: Call<typeof memberCapabilities.showCapabilities>,
): Static<typeof Held> => present(find(app, actor.workspace, userId))

export function setHeld(
  app: App,
  { actor, userId, body, now }: Call<typeof memberCapabilities.setCapabilities>,
): Static<typeof Held> {
  standing(app, actor, 'ADMIN')
  const row = find(app, actor.workspace, userId)
  if (userId === actor.id)
    throw problem('insufficient_role', { field: 'userId', detail: 'Nobody changes their own capabilities' })
  if (row.role === 'OWNER')
    throw problem('insufficient_role', {
      field: 'userId',
      detail: 'An OWNER may do everything: there is nothing to give or take',
    })
  const before = capabilitiesOf(row)
  const capabilities = after(before, body)
  queries(app.db).set.run(JSON.stringify(capabilities), now, row.id)
  const { email, full_name } = findUser(app, userId)
  app.journal(
    fact(
      'workspace_member.capabilities_changed',
      {
        entity_id: row.id,
        ...(full_name && { name: full_name }),
        metadata: { user_id: userId, email, changed: ['capabilities'], from: before, to: capabilities },
      },
      { workspace_id: actor.workspace, ...actorOf(actor) },
    ),
  )
  return { user_id: userId, role: row.role, capabilities }
}
