import { ConfigError } from '#kernel/config'
import { isDamaged, UnfitDatabase } from '#kernel/store/db'
import { Locked } from '#kernel/store/lock'
import { storageFault } from '#kernel/store/storage-fault'
import { AccessRefused } from './access.ts'
import { AddressTaken } from './address.ts'
import { exitCodes } from './exit-codes.ts'
import { StartRefused } from './loss.ts'

interface Failure {
  /** What went wrong, and why. */
  text: string
  /** What to do; null where the text ends with it. */
  next: string | null
  exitCode: number
}

type Fault = Error & { code?: string; path?: string; syscall?: string }

/** What the operator can mend gets a sentence; everything else is a fault of ours and shows where. */
export function explain(error: Fault): Failure {
  const { message } = error
  const failure = (exitCode: number, text: string, next: string | null = null): Failure => ({ exitCode, text, next })
  if (error.code?.startsWith('ERR_PARSE_ARGS')) return failure(exitCodes.configuration, message, 'musterd --help')
  if (error instanceof ConfigError)
    return failure(exitCodes.configuration, message, 'correct it, then start again; docs/operating.md lists settings')
  if (error instanceof Locked)
    return failure(exitCodes.locked, message, 'stop that daemon (muster down), or use another --data-dir')
  if (error instanceof AccessRefused) return failure(exitCodes.access, message, error.next)
  if (error instanceof AddressTaken) return failure(exitCodes.address, message, error.next)
  if (error instanceof UnfitDatabase) return failure(exitCodes.version, message)
  if (error instanceof StartRefused) return failure(exitCodes.lostState, message)
  if (isDamaged(error))
    return failure(
      exitCodes.lostState,
      `The database is damaged: ${message}. Restore the newest backup of the whole data folder`,
    )
  return ofDisk(error) ?? ofRights(error) ?? failure(exitCodes.failed, error.stack ?? message)
}

function ofDisk(error: Fault): Failure | null {
  const fault = storageFault(error)
  if (!fault) return null
  const state = fault === 'full' ? 'is full' : 'cannot be written'
  return {
    text: `The disk of the data folder ${state} (${error.message})`,
    next: fault === 'full' ? 'free space there, then start again' : 'mount it for writing, then start again',
    exitCode: exitCodes.storage,
  }
}

function ofRights({ code, message, path }: Fault): Failure | null {
  if (code !== 'EACCES' && code !== 'EPERM') return null
  return {
    text: `This user may not use ${path ?? 'a file'} (${message})`,
    next: 'start it as the user whose data it is, or name another --data-dir',
    exitCode: exitCodes.access,
  }
}
