import { type Problem, problem } from '../problem.ts'

/** `full`: no space is left. `unavailable`: writing fails for another reason. */
export type StorageFault = 'full' | 'unavailable'

const full = /^(SQLITE_FULL|ENOSPC|EDQUOT)$/
const unavailable = /^(SQLITE_(IOERR|READONLY|CANTOPEN|BUSY)\w*|EROFS|EIO)$/

export const codeOf = (error: unknown): string => String((error as { code?: unknown } | null)?.code ?? '')

/** The disk fault that an error reports; null for any other error. */
export function storageFault(error: unknown): StorageFault | null {
  const code = codeOf(error)
  if (full.test(code)) return 'full'
  return unavailable.test(code) ? 'unavailable' : null
}

const remedies = {
  full: 'The disk that holds the data is full, so nothing was stored. Free space there, then try again',
  unavailable:
    'The disk that holds the data cannot be written, so nothing was stored. ' +
    'See the log of the daemon for the cause, fix it, then try again',
}

/** The problem that callers get for a disk fault; null for any other error. */
export function storageProblem(error: unknown): Problem | null {
  const fault = storageFault(error)
  return fault && problem(`storage_${fault}`, { detail: remedies[fault], headers: { 'retry-after': '5' } })
}

/** Swallows disk faults and rethrows the rest: for reads that also store something but can answer without. */
export function unlessStorage(error: unknown): void {
  if (!storageFault(error)) throw error
}
