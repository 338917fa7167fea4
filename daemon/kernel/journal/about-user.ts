import type { About, Fact, FactName } from '#contract/entries'
import type { App } from '../app.ts'
import type { Db } from '../store/db.ts'
import { queries } from './queries.ts'

/**
 * Most journals that one fact about a user is recorded in. Anyone may create workspaces and add others to them, which
 * must not make facts expensive; the statement orders workspaces so that the relevant ones come first.
 */
const audienceLimit = 200

/** The workspaces whose journals record facts about this user; none for a user without a workspace. */
export const audienceOf = ({ db }: { readonly db: Db }, user: string): string[] =>
  queries(db)
    .audience.all(user, audienceLimit)
    .map(({ workspace_id }) => workspace_id)

/** Records a fact about a user's account or credentials in the journals of the user's workspaces. */
export const journalForUser = (app: App, user: string, fact: Fact<FactName, Omit<About, 'workspace_id'>>): void =>
  app.journalIn(audienceOf(app, user), fact)

/** The actor of a fact that this user caused. */
export const byUser = (id: string) => ({ actor_type: 'user', actor_id: id }) as const

/** The actor of a fact that the host's administrator or the daemon caused. */
export const bySystem = { actor_type: 'system' } as const
