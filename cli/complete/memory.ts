import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { replacePrivate } from '../files.ts'
import { stateDir } from '../paths.ts'
import type { Offer } from './complete.ts'

/** How long a request may take: less when there is an earlier answer to give, longest when nobody waits. */
const patienceMs = { known: 300, unknown: 1500, refresh: 10_000 }
/** An earlier answer is refreshed no more often than this. */
const refreshMs = 10_000
/** Set for the process that only refreshes what is remembered. */
const refreshes = 'MUSTER_COMPLETION_REFRESH'

/** Names one answer: of this server, to this user, about this. */
export const keyOf = (...parts: (string | undefined)[]): string =>
  createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 32)

/** What the server answers, or, when it takes long, what it answered the last time; that is then refreshed. */
export async function remembered(key: string, fetch: (timeoutMs: number) => Promise<Offer[]>): Promise<Offer[]> {
  const file = join(stateDir(), 'completion', `${key}.json`)
  const refreshing = Boolean(process.env[refreshes])
  const earlier = refreshing ? undefined : read(file)
  try {
    const offers = await fetch(patienceMs[refreshing ? 'refresh' : earlier ? 'known' : 'unknown'])
    write(file, offers)
    return offers
  } catch (error) {
    if (!refreshing) refresh(file)
    if (!earlier) throw error
    return earlier
  }
}

function read(file: string): Offer[] | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Offer[]
  } catch {
    return undefined
  }
}

/** Names are the server's business: only the user may read them. */
function write(file: string, offers: Offer[]): void {
  try {
    replacePrivate(file, JSON.stringify(offers))
  } catch {
    // Without a memory the next answer takes as long as the server.
  }
}

/** Asks again in a process of its own, which nobody waits for. */
function refresh(file: string): void {
  try {
    const mark = `${file}.asked`
    if (Date.now() - (statSync(mark, { throwIfNoEntry: false })?.mtimeMs ?? 0) < refreshMs) return
    mkdirSync(join(file, '..'), { recursive: true, mode: 0o700 })
    writeFileSync(mark, '', { mode: 0o600 })
    const env = { ...process.env, [refreshes]: '1' }
    spawn(process.execPath, process.argv.slice(1), { env, stdio: 'ignore', detached: true }).unref()
  } catch {
    // It is tried again with the next word.
  }
}
