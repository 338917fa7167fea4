import { type Stats, statSync } from 'node:fs'
import { UnreachableError } from '#client'
import { localSocket, type Session } from '../contexts/session.ts'
import { dataDir } from '../paths.ts'

type Env = NodeJS.ProcessEnv

/** Whether another user than this one or root owns the file, and so may have put anything there. */
export const isForeign = ({ uid }: Pick<Stats, 'uid'>): boolean => uid !== 0 && uid !== process.geteuid?.()

/**
 * Refuses to speak at the socket of the data folder where somebody else could have put it: it gets tokens and
 * passwords without any proof. An address that was named for this command is left to whoever named it.
 */
export function requireOwnSocket({ target, serverOrigin }: Session, env: Env = process.env): void {
  if (serverOrigin === 'flag' || target.key !== localSocket(env).key) return
  for (const path of [dataDir(env), target.socket!]) {
    const found = statOf(path)
    if (found && isForeign(found))
      throw new UnreachableError(
        target.key,
        'EACCES',
        `${path} belongs to the user with the id ${found.uid}: nothing is sent to whatever listens there`,
      )
  }
}

/** What cannot be looked at cannot be spoken to either, which says so itself. */
function statOf(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false })
  } catch {
    return undefined
  }
}
