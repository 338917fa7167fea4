import type { Entry } from '#contract/entries'
import type { Fault, Verdict } from '#contract/journal'
import { genesis, hashEntry } from '#kernel/journal/chain'
import { type Hashed, parsed, partsOf } from '#kernel/journal/parts'
import type { Db } from '#kernel/store/db'
import { type Columns, columnNames, createColumnCheck } from './columns.ts'
import { createMarks, type MarksState } from './marks.ts'
import { conclude, createPoints, type Place, type PointsState, type Question } from './proof.ts'
import { createRolled, type RolledState } from './rolled.ts'

interface Link extends Columns, Hashed {
  seq: number
}

/** What remains of an entry that left the journal. */
interface Husk extends Omit<Hashed, 'doc' | 'prev_hash'> {
  seq: number
  fixed: string
}

type Step = Link | Husk

/** The entry before, on which the next one must follow. */
interface Before extends Place {
  scheme: number
}

/** How far a walk has come: enough to go on from there, also in another process. */
export interface Walked {
  entries: number
  erased: number
  erasedSummaries: number
  compacted: number
  last: { seq: number; id: string; hash: string; scheme: number } | null
  points: PointsState
  marks: MarksState
  rolled: RolledState
}

/** Entries verified before the event loop continues. */
const slice = 500

/** Walks along a workspace's chain, from where an earlier walk has come. */
export function createWalk(db: Db, question: Question, from: Walked | null) {
  const { ws, workspace, head } = question
  const links = db.prepare<[number, number, number, number], Link>(
    `SELECT seq, doc, scheme, payload_hash, summary_hash, prev_hash, entry_hash, ${columnNames}
     FROM journal INDEXED BY journal_ws
     WHERE ws = ? AND seq > ? AND seq <= ? ORDER BY seq LIMIT ?`,
  )
  const husks = db.prepare<[number, number, number, number], Husk>(
    `SELECT seq, scheme, fixed, payload_hash, summary_hash, entry_hash FROM journal_husks INDEXED BY journal_husks_ws
     WHERE ws = ? AND seq > ? AND seq <= ? ORDER BY seq LIMIT ?`,
  )
  const differing = createColumnCheck(db, ws, workspace)
  const marks = createMarks(db, ws, from?.marks)
  const rolled = createRolled(db, ws, from?.rolled)
  const points = createPoints(question, from?.points, from?.entries)
  const { entries = 0, erased = 0, erasedSummaries = 0, compacted = 0 } = from ?? {}
  const walked = { entries, erased, erasedSummaries, compacted, last: from?.last ? lastOf(from.last) : null }
  const over = (fault: Fault | null) => conclude(question, walked, points.sealed, fault)

  /** The next entries in the order of the chain, in the journal or not, as of one moment. */
  const next = db.transaction((after: number): Step[] => {
    const here = links.all(ws, after, head, slice)
    const gone = husks.all(ws, after, here.length < slice ? head : here.at(-1)!.seq, slice)
    if (gone.length === 0) return here
    const upTo = gone.length < slice ? head : gone.at(-1)!.seq
    return [...here.filter(({ seq }) => seq <= upTo), ...gone].sort((a, b) => a.seq - b.seq)
  })

  function present(link: Link): Fault | null {
    const entry = parsed(link.doc)
    if (!entry) return at(link, link.id, 'the entry is no JSON')
    const fault = unlinked(link, walked.last) ?? revived(link, entry)
    if (fault) return fault
    const written = partsOf(link, entry, () => marks.before(link.seq))?.written
    if (!written) return at(link, link.id, 'the entry was changed')
    const wrong = astray(link, entry, walked.last, differing) ?? pass(link, entry)
    if (wrong) return wrong
    if (link.payload_hash) walked.erased++
    if (link.summary_hash) walked.erasedSummaries++
    marks.note(entry, written)
    rolled.note(entry)
    return null
  }

  function absent(husk: Husk): Fault | null {
    const entry = parsed(husk.fixed)
    if (!entry) return at(husk, null, 'the entry is no JSON')
    const fault = outOfLine(husk, entry.id, walked.last)
    if (fault) return fault
    const { scheme, payload_hash, summary_hash } = husk
    const parts = { payload: payload_hash ?? genesis, summary: scheme === 1 ? null : (summary_hash ?? genesis) }
    const hash = hashEntry({ prev: walked.last?.entry_hash ?? genesis, ...parts }, husk.fixed)
    if (!hash.equals(husk.entry_hash)) return at(husk, entry.id, 'the entry was changed')
    if (entry.workspace_id !== workspace) return columns(husk, entry.id, 'the column ws differs from the entry')
    if (walked.last && entry.id <= walked.last.id) return disordered(husk.seq, entry.id)
    const wrong = rolled.gone(entry)
    if (wrong) return { kind: 'rolled_up', seq: husk.seq, id: entry.id, reason: wrong }
    const forged = pass(husk, entry)
    if (!forged) walked.compacted++
    return forged
  }

  function pass({ seq, entry_hash, scheme }: Step, { id }: Entry): Fault | null {
    const last: Before = { seq, id, entry_hash, scheme }
    const fault = points.pass(walked.entries + 1, last)
    if (fault) return fault
    walked.entries++
    walked.last = last
    return null
  }

  return {
    /** Takes the next steps; the verdict once there are none, or one fails. */
    on(): Verdict | null {
      const steps = next(walked.last?.seq ?? 0)
      for (const step of steps) {
        const fault = 'doc' in step ? present(step) : absent(step)
        if (fault) return over(fault)
      }
      if (steps.length) return null
      const wrong = points.missing(walked.entries, walked.last) ?? marks.firstWrong(head) ?? rolled.firstWrong(head)
      if (wrong) return over(wrong)
      return over(question.sealed?.fault ? { seq: null, id: null, ...question.sealed.fault } : null)
    },
    state: (): Walked => {
      const { last, ...counts } = walked
      const { entry_hash, ...place } = last ?? { entry_hash: genesis, seq: 0, id: '', scheme: 0 }
      return {
        ...counts,
        last: last && { ...place, hash: entry_hash.toString('hex') },
        points: points.state(),
        marks: marks.state(),
        rolled: rolled.state(),
      }
    },
  }
}

const lastOf = ({ hash, ...place }: NonNullable<Walked['last']>): Before => ({
  ...place,
  entry_hash: Buffer.from(hash, 'hex'),
})

const at = ({ seq }: Step, id: string | null, reason: string): Fault => ({ kind: 'chain', seq, id, reason })
const columns = ({ seq }: Step, id: string, reason: string): Fault => ({ kind: 'columns', seq, id, reason })
const disordered = (seq: number, id: string): Fault => ({
  kind: 'order',
  seq,
  id,
  reason: 'its id does not come after the one before',
})

/** The fault of an entry that does not follow on the one before it. */
function unlinked(link: Link, before: Before | null): Fault | null {
  return link.prev_hash.equals(before?.entry_hash ?? genesis)
    ? outOfLine(link, link.id, before)
    : at(link, link.id, 'the entry before it is missing or was replaced')
}

function outOfLine(step: Step, id: string, before: Before | null): Fault | null {
  const { scheme } = step
  if (scheme !== 1 && scheme !== 2) return at(step, id, 'its hash scheme is unknown to this version')
  return before && scheme < before.scheme
    ? at(step, id, 'its hash scheme is older than that of the entry before it')
    : null
}

/** The fault of an entry that says again what was erased. */
function revived(link: Link, entry: Entry): Fault | null {
  const { scheme, payload_hash, summary_hash } = link
  if (entry.payload && payload_hash) return at(link, link.id, 'the payload came back after it was erased')
  if (summary_hash && (scheme === 1 || entry.summary !== ''))
    return at(link, link.id, 'the summary came back after it was erased')
  return null
}

/** The fault beside an intact entry: a column that differs, or an id out of order. */
function astray(
  link: Link,
  entry: Entry,
  before: Before | null,
  differing: ReturnType<typeof createColumnCheck>,
): Fault | null {
  const { seq, id } = link
  const column = differing(link, entry, link.payload_hash !== null)
  if (column) return columns(link, id, `the column ${column} differs from the entry`)
  return before && id <= before.id ? disordered(seq, id) : null
}
