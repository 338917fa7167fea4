import { setImmediate as turn } from 'node:timers/promises'
import type { Entry } from '#contract/entries'
import type { Db } from '#kernel/db'
import { genesis, hashEntry, hashPayload, render } from '#kernel/journal/chain'

export interface Verdict {
  valid: boolean
  entries: number
  erased: number
  head: { id: string; hash: string } | null
  broken: { id: string; reason: string } | null
}

interface Link {
  seq: number
  id: string
  ts: number
  doc: string
  payload_hash: Buffer | null
  prev_hash: Buffer
  entry_hash: Buffer
}

/** Entries checked before others get a turn. */
const slice = 500

/** Walks a workspace's chain up to `head` and stops at the first entry that does not hold. */
export async function verifyChain(db: Db, ws: number, head: number): Promise<Verdict> {
  const links = db.prepare<[number, number, number, number], Link>(
    `SELECT seq, id, ts, doc, payload_hash, prev_hash, entry_hash FROM journal INDEXED BY journal_ws
     WHERE ws = ? AND seq > ? AND seq <= ? ORDER BY seq LIMIT ?`,
  )
  const verdict: Verdict = { valid: true, entries: 0, erased: 0, head: null, broken: null }
  let prev: Buffer = genesis
  for (let after = 0, rows = links.all(ws, after, head, slice); rows.length; rows = links.all(ws, after, head, slice)) {
    for (const link of rows) {
      const reason = flaw(link, prev)
      if (reason) return { ...verdict, valid: false, broken: { id: link.id, reason } }
      verdict.entries++
      if (link.payload_hash) verdict.erased++
      verdict.head = { id: link.id, hash: link.entry_hash.toString('hex') }
      prev = link.entry_hash
      after = link.seq
    }
    await turn()
  }
  return verdict
}

/** What is wrong with an entry, given the hash of the one before it. */
function flaw({ id, ts, doc, payload_hash, prev_hash, entry_hash }: Link, prev: Buffer): string | null {
  const entry = parsed(doc)
  if (!entry) return 'the entry is no JSON'
  if (entry.id !== id || entry.ts !== new Date(ts).toISOString()) return 'the entry is not the one that its row says'
  if (!prev_hash.equals(prev)) return 'the entry before it is missing or was replaced'
  const { fixed, payload } = render(entry)
  if (payload && payload_hash) return 'the payload came back after it was erased'
  if (!hashEntry(prev, payload_hash ?? hashPayload(payload), fixed).equals(entry_hash)) return 'the entry was changed'
  return null
}

function parsed(doc: string): Entry | null {
  try {
    return JSON.parse(doc) as Entry
  } catch {
    return null
  }
}
