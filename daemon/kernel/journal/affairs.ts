import type { About, Fact, FactName } from '#contract/entries'
import type { App } from '../app.ts'
import type { Db } from '../store/db.ts'
import { queries } from './queries.ts'

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
