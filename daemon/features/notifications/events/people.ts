import { type Role, roles } from '#contract/roles'
import type { App } from '#kernel/app'
import { mentionsIn } from '#kernel/mentions'
import { queries } from './queries.ts'

/** Most people who are told of one event. */
export const mostTold = 1000

export const isMember = ({ db }: App, workspace: string, user: string): boolean =>
  queries(db).member.get(workspace, user) !== undefined

/** The members with at least this role. */
export const membersFrom = ({ db }: App, workspace: string, role: Role): string[] =>
  queries(db).members.all({ workspace, roles: JSON.stringify(roles.slice(roles.indexOf(role))), most: mostTold })

/** The people of an inbox item's audience. */
export function inAudience(app: App, workspace: string, audience: string | undefined): string[] {
  const [kind, whom] = audience?.split(':') ?? []
  if (kind === 'user') return [whom!]
  if (kind === 'role') return membersFrom(app, workspace, whom as Role)
  return kind === 'all' ? membersFrom(app, workspace, 'VIEWER') : []
}

/**
 * The members that a text mentions: by a client's link, by their whole address, or by what stands before its @ where
 * that is no agent's name and one member's alone.
 */
export function mentionedIn(app: App, workspace: string, text: string): string[] {
  const { users, addresses, slugs } = mentionsIn(text)
  if (!users.size && !addresses.size && !slugs.size) return []
  const { addresses: addressesOf, agentCalled } = queries(app.db)
  const members = addressesOf.all(workspace, mostTold).map(({ user_id, email }) => ({
    user_id,
    email: email.toLowerCase(),
    name: email.toLowerCase().split('@')[0]!,
  }))
  const named = [...slugs].flatMap((slug) => {
    const found = members.filter(({ name }) => name === slug)
    return found.length === 1 && !agentCalled.get(workspace, slug) ? found : []
  })
  const found = members.filter(({ user_id, email }) => users.has(user_id) || addresses.has(email))
  return [...new Set([...found, ...named].map(({ user_id }) => user_id))]
}
