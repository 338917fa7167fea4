import type { Static } from 'typebox'
import type { Member, members } from '#contract/members'
import type { Role } from '#contract/roles'
import type { App } from '#kernel/app'
import type { Call } from '#kernel/feature'
import { pageOf } from '#kernel/fields'
import { newId } from '#kernel/ids'
import { queries } from './queries.ts'

export function list({ db }: App, { actor, query }: Call<typeof members.list>): Static<typeof Member>[] {
  const { limit, offset } = pageOf(query, { fallback: 500 })
  const rows = queries(db).list.all(actor.workspace, limit, offset)
  return rows.map(({ email, full_name, avatar_url, ...member }) => ({ ...member, user: { id: member.user_id, email, full_name, avatar_url } }))
}

/** Makes a user a member, within a change; false when it is one already. */
export const enrol = ({ db, clock }: App, member: { workspace: string; user: string; role: Role; now: string }): boolean =>
  queries(db).insert.get({ id: newId(clock()), ...member }) !== undefined

/** The roles of a user, by workspace. */
export const rolesOf = ({ db }: App, user: string): Map<string, Role> =>
  new Map(
    queries(db)
      .rolesOf.all(user)
      .map(({ workspace_id, role }) => [workspace_id, role]),
  )

/** Longest audience of one event. Anyone may own any number of workspaces, which must not make an event dear. */
const audienceLimit = 200

/** The workspaces whose journals tell of what a user does for all of them: first those where others look on. */
export const audienceOf = ({ db }: App, user: string): string[] =>
  queries(db)
    .audience.all(user, audienceLimit)
    .map(({ workspace_id }) => workspace_id)
