import type { Role } from '#contract/roles'
import type { Db } from '../store/db.ts'
import { membership, queries } from './membership.ts'

interface Stored {
  readonly db: Db
}

/** The workspace whose owners administer the server; undefined before the first user, or when it was deleted. */
export const homeOf = ({ db }: Stored): string | undefined => queries(db).home.get()?.id

/** The role of a user in the home workspace; undefined for users who are not members or may not enter. */
export function homeRoleOf({ db }: Stored, user: string): Role | undefined {
  const home = homeOf({ db })
  return home === undefined ? undefined : membership(db, home, user)?.role
}
