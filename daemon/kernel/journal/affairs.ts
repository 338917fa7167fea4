import type { About, Fact, FactName } from '#contract/entries'
import type { App } from '../app.ts'
import { type Db, statements } from '../store/db.ts'

export const queries = statements((db) => ({
  /**
   * Live workspaces: the server's first one, then by turns the oldest of those that belong to others and of one's own.
   */
  audience: db.prepare<[user: string, limit: number], { workspace_id: string }>(
    `SELECT m.workspace_id FROM workspace_members m JOIN workspaces w ON w.id = m.workspace_id
     WHERE m.user_id = ? AND w.deleted_at IS NULL
     ORDER BY w.home DESC, row_number() OVER (PARTITION BY m.role = 'OWNER'
     ORDER BY m.rowid), m.role = 'OWNER' LIMIT ?`,
  ),
}))

/** Statements that read a whole table, and why they may. */
export const scans = { audience: 'goes over the memberships of one user' }

/**
 * Longest audience of one fact. Anyone may own any number of workspaces and take others into them, which must neither
 * make a fact expensive nor keep it from the journals where it counts.
 */
const audienceLimit = 200

/** The workspaces whose journals record what concerns a user in all of them; none for a user without a workspace. */
export const audienceOf = ({ db }: { readonly db: Db }, user: string): string[] =>
  queries(db)
    .audience.all(user, audienceLimit)
    .map(({ workspace_id }) => workspace_id)

/** Records a fact about a user's own account, or about what opens it, in the journals of the user's workspaces. */
export const journalAffair = (app: App, user: string, fact: Fact<FactName, Omit<About, 'workspace_id'>>): void =>
  app.journalIn(audienceOf(app, user), fact)

/** Done by this user. */
export const byUser = (id: string) => ({ actor_type: 'user', actor_id: id }) as const

/** Done on the host by its administrator, or by the daemon itself. */
export const bySystem = { actor_type: 'system' } as const
