import type { Role } from '#contract/roles'
import type { Db } from '../store/db.ts'
import { membership, queries } from './membership.ts'

interface Stored {
  readonly db: Db
}

/** The workspace whose owners own the server; undefined before the first user, or when it was deleted. */
export const homeOf = ({ db }: Stored): string | undefined => queries(db).home.get()?.id

/**
 * The role of a user in the workspace that stands for the whole server; undefined for who is a stranger to it or may
 * not enter.
 */
export function homeRoleOf({ db }: Stored, user: string): Role | undefined {
  const home = homeOf({ db })
  return home === undefined ? undefined : membership(db, home, user)?.role
}
