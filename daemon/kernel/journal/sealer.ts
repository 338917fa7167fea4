import type { Log } from '../log.ts'
import type { Db } from '../store/db.ts'
import type { Journal } from './journal.ts'
import type { Head, SealFault } from './seal.ts'
import type { SealFile } from './seal-file.ts'

/** A point of the journal that a seal covers. */
export interface SealedPoint {
  entries: number
  seq: number
  hash: string
  at: string
}

/** The seals of one workspace, oldest first, or of all workspaces, where `seq` is the number of entries. */
export interface Sealed {
  points: SealedPoint[]
  fault: SealFault | null
}

/** Seals the journal in the background. A seal that cannot be written is tried again later. */
export interface Sealer {
  /** Tells that entries were stored. */
  grown(): void
  /** Seals the stored entries now; rejects when the seal cannot be written. */
  seal(): Promise<void>
  /** Null without seals. */
  of(workspace: string): Promise<Sealed | null>
  /** Stops the timer and seals the remaining entries. */
  close(): Promise<void>
}

/** Without a file or a key for seals. */
export const noSealer: Sealer = {
  grown: () => undefined,
  seal: async () => undefined,
  of: async () => null,
  close: async () => undefined,
}

/** Milliseconds from an entry to the seal that covers it, and between attempts after a failure. */
const sealAfterMs = 2_000
const patience = 10_000

interface Parts {
  db: Db
  journal: Pick<Journal, 'index' | 'tails'>
  file: SealFile
  clock(): number
  log: Log
}

export function createSealer({ db, journal: { index, tails }, file, clock, log }: Parts): Sealer {
  const nameOf = db.prepare<[number], string>('SELECT text FROM journal_names WHERE name = ?').pluck()
  const spaces = db.prepare<[], number>('SELECT name FROM journal_names WHERE ws = 0').pluck()
  let timer: NodeJS.Timeout | undefined
  let turn: Promise<unknown> = Promise.resolve()
  let failing = false
  let closed = false
  const newerThanSealed = (ws: number) => index.combos.of(ws).some(({ last }) => last > file.newest.seq)
  // Entries that another process stored after its last seal.
  tails.touch(spaces.all().filter(newerThanSealed))

  function headOf(ws: number): Head[] {
    const { seq, hash } = tails.of(ws)
    return seq ? [[nameOf.get(ws)!, index.combos.chained(ws), seq, hash.toString('hex')]] : []
  }

  async function sealNow(): Promise<void> {
    const moved = tails.take()
    const heads = [...moved].flatMap(headOf)
    const seq = index.head()
    if (file.newest.at !== null && heads.length === 0) return
    try {
      await file.append({ at: new Date(clock()).toISOString(), seq, heads })
    } catch (error) {
      tails.touch(moved)
      throw error
    }
  }

  /** Runs work in sequence, also after a failure. */
  function inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = turn.then(work)
    turn = done.catch(() => undefined)
    return done
  }

  function wait(ms: number): void {
    clearTimeout(timer)
    timer = setTimeout(sealQuietly, ms).unref()
  }

  async function sealQuietly(): Promise<void> {
    timer = undefined
    try {
      await inTurn(sealNow)
      if (failing) log.info('The journal is sealed again')
      failing = false
    } catch (error) {
      if (!failing) log.error({ err: error }, 'The journal cannot be sealed; it is tried again')
      failing = true
      if (!closed) wait(patience)
    }
  }

  return {
    grown() {
      if (!closed && !timer && index.head() > file.newest.seq) wait(sealAfterMs)
    },
    seal: () => inTurn(sealNow),
    of: (workspace) =>
      inTurn(async () => {
        const { seals, fault } = await file.read()
        const points = seals.flatMap(({ at, heads }) =>
          heads.filter(([id]) => id === workspace).map(([, entries, seq, hash]) => ({ entries, seq, hash, at })),
        )
        return { points, fault }
      }),
    async close() {
      closed = true
      clearTimeout(timer)
      await sealQuietly()
    },
  }
}
