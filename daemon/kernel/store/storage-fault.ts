import { type Problem, problem } from '../problem.ts'

/** `full`: there is no room left. `unavailable`: the disk takes no writes for another reason. */
export type StorageFault = 'full' | 'unavailable'

const full = /^(SQLITE_FULL|ENOSPC|EDQUOT)$/
const unavailable = /^(SQLITE_(IOERR|READONLY|CANTOPEN|BUSY)\w*|EROFS|EIO)$/

export const codeOf = (error: unknown): string => String((error as { code?: unknown } | null)?.code ?? '')

/** What an error says of the disk that holds the data; null when it is about something else. */
export function storageFault(error: unknown): StorageFault | null {
  const code = codeOf(error)
  if (full.test(code)) return 'full'
  return unavailable.test(code) ? 'unavailable' : null
}

const remedies = {
  full: 'The disk that holds the data is full, so nothing was stored. Free space there, then try again',
  unavailable:
    'The disk that holds the data cannot be written, so nothing was stored. The log of the daemon says why; mend that, then try again',
}

/** What callers are told when the disk refused; null when the error is about something else. */
export function storageProblem(error: unknown): Problem | null {
  const fault = storageFault(error)
  return fault && problem(`storage_${fault}`, { detail: remedies[fault], headers: { 'retry-after': '5' } })
}

/** For reads that store something by the way: they answer without it. */
export function unlessStorage(error: unknown): void {
  if (!storageFault(error)) throw error
}
