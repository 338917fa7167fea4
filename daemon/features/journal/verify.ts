import { setImmediate as turn } from 'node:timers/promises'
import type { Entry, Priority } from '#contract/entries'
import type { Fault, Verdict } from '#contract/journal'
import { covered, genesis, hashEntry, hashPart, type Rendered, render, type Scheme, split } from '#kernel/journal/chain'
import type { Db } from '#kernel/store/db'
import { type Columns, columnNames, createColumnCheck } from './columns.ts'
import { createMarks } from './marks.ts'
import { conclude, createPoints, type Question } from './proof.ts'

interface Link extends Columns {
  seq: number
  doc: string
  scheme: number
  payload_hash: Buffer | null
  summary_hash: Buffer | null
  prev_hash: Buffer
  entry_hash: Buffer
}

/** Entries verified before the event loop continues. */
const slice = 500

/** Verifies a workspace's chain up to the first fault. */
export async function verifyChain(db: Db, question: Question): Promise<Verdict> {
  const { ws, workspace, head } = question
  const links = db.prepare<[number, number, number, number], Link>(
    `SELECT seq, doc, scheme, payload_hash, summary_hash, prev_hash, entry_hash, ${columnNames}
     FROM journal INDEXED BY journal_ws
     WHERE ws = ? AND seq > ? AND seq <= ? ORDER BY seq LIMIT ?`,
  )
  const differing = createColumnCheck(db, ws, workspace)
  const marks = createMarks(db, ws)
  const points = createPoints(question)
  const walked = { entries: 0, erased: 0, erasedSummaries: 0, last: null as Link | null }
  const over = (fault: Fault | null) => conclude(question, walked, points.sealed, fault)
  for (let rows = links.all(ws, 0, head, slice); rows.length; rows = links.all(ws, walked.last!.seq, head, slice)) {
    for (const link of rows) {
      const entry = parsed(link.doc)
      const written = entry && writtenWith(link, entry, walked.last, marks.before)
      const fault =
        flaw(link, entry, written, walked.last) ??
        astray(link, entry!, walked.last, differing) ??
        points.pass(walked.entries + 1, link)
      if (fault) return over(fault)
      walked.entries++
      if (link.payload_hash) walked.erased++
      if (link.summary_hash) walked.erasedSummaries++
      walked.last = link
      marks.note(entry!, written!)
    }
    await turn()
  }
  const mark = points.missing(walked.entries, walked.last) ?? marks.firstWrong(head)
  if (mark) return over(mark)
  return over(question.sealed?.fault ? { seq: null, id: null, ...question.sealed.fault } : null)
}

/** The fault of an entry in the chain, given the entry before it. */
function flaw(
  { seq, id, scheme, payload_hash, summary_hash, prev_hash }: Link,
  entry: Entry | null,
  written: Priority | null,
  before: Link | null,
): Fault | null {
  const at = (kind: Fault['kind'], reason: string): Fault => ({ kind, seq, id, reason })
  if (!entry) return at('chain', 'the entry is no JSON')
  if (!prev_hash.equals(before?.entry_hash ?? genesis))
    return at('chain', 'the entry before it is missing or was replaced')
  if (scheme !== 1 && scheme !== 2) return at('chain', 'its hash scheme is unknown to this version')
  if (before && scheme < before.scheme) return at('chain', 'its hash scheme is older than that of the entry before it')
  if (entry.payload && payload_hash) return at('chain', 'the payload came back after it was erased')
  if (summary_hash && (scheme === 1 || entry.summary !== ''))
    return at('chain', 'the summary came back after it was erased')
  return written === null ? at('chain', 'the entry was changed') : null
}

/** The fault beside an intact entry: a column that differs, or an id out of order. */
function astray(
  link: Link,
  entry: Entry,
  before: Link | null,
  differing: ReturnType<typeof createColumnCheck>,
): Fault | null {
  const { seq, id } = link
  const column = differing(link, entry, link.payload_hash !== null)
  if (column) return { kind: 'columns', seq, id, reason: `the column ${column} differs from the entry` }
  return before && id <= before.id
    ? { kind: 'order', seq, id, reason: 'its id does not come after the one before' }
    : null
}

/**
 * The original priority of an entry; null when its hash does not match. The hash is computed from the stored text, or
 * from the entry serialized again where the text cannot be split.
 */
function writtenWith(
  link: Link,
  entry: Entry,
  before: Link | null,
  firstOf: (seq: number) => Priority | undefined,
): Priority | null {
  const scheme = link.scheme as Scheme
  const hashes = (payload: string, summary: string) => ({
    prev: before?.entry_hash ?? genesis,
    payload: link.payload_hash ?? hashPart(payload),
    summary: scheme === 1 ? null : (link.summary_hash ?? hashPart(summary)),
  })
  const holds = ({ fixed, summary, payload }: Omit<Rendered, 'doc'>, priority: Priority) =>
    hashEntry(hashes(payload, summary), covered(fixed, priority)).equals(link.entry_hash)
  const parts = split(link.doc, entry, scheme)
  if (parts && holds(parts, 'normal')) return 'normal'
  const anew = renderedAnew(entry, scheme)
  // A duplicate member would be read differently by other parsers.
  if (anew?.doc !== link.doc) return null
  return (['normal', firstOf(link.seq) ?? entry.priority] as const).find((priority) => holds(anew, priority)) ?? null
}

/** The entry serialized again; null when it is nested too deep, as no valid entry is. */
function renderedAnew(entry: Entry, scheme: Scheme) {
  try {
    return render(entry, scheme)
  } catch {
    return null
  }
}

function parsed(doc: string): Entry | null {
  try {
    return JSON.parse(doc) as Entry
  } catch {
    return null
  }
}
