import {
  type ActorType,
  actorTypes,
  type Entry,
  type Priority,
  priorities,
  type Severity,
  severities,
} from '#contract/entries'
import { type Db, withinChange } from '../store/db.ts'
import { covered, hashEntry, hashPart, render, scheme } from './chain.ts'
import { type Combos, createCombos } from './combos.ts'
import { createEraser, type Eraser } from './eraser.ts'
import { createEntryIds } from './ids.ts'
import { createNames, type Names } from './names.ts'
import { createTails, type Tails } from './tails.ts'
import { createTimeline, type Timeline } from './timeline.ts'
import { createUndoLog } from './undo.ts'

/** An entry before it is stored; the journal adds id, time and defaults. */
export interface Draft {
  workspace_id: string
  type: string
  summary: string
  actor_type: ActorType
  actor_id?: string | undefined
  crew_id?: string | undefined
  agent_id?: string | undefined
  mission_id?: string | undefined
  trace_id?: string | undefined
  severity: Severity
  priority?: Priority
  payload?: Record<string, unknown>
  refs?: Record<string, unknown>
}

/** A stored entry: `seq` is its true order, `doc` its exact JSON. */
export interface Recorded {
  readonly seq: number
  readonly entry: Entry
  readonly doc: string
}

/** Updates derived data in the transaction of the entry. `ts` is the entry's time in milliseconds. */
export type Projection = (entry: Entry, seq: number, ts: number) => void

export interface Journal {
  append(draft: Draft): Recorded
  /** Marks the state in memory: `rewind` restores it, `forget` restores the stored one, `settle` declares it stored. */
  mark(): void
  rewind(): void
  forget(): void
  settle(): void
  /** Adds a projection, called for every entry from now on. */
  project(projection: Projection): void
  readonly index: JournalIndex
  /** The ends of the chains, for seals. */
  readonly tails: Tails
  readonly eraser: Eraser
}

/** Statistics from which reads are planned. */
export interface JournalIndex {
  readonly names: Pick<Names, 'find'>
  readonly combos: Pick<Combos, 'of' | 'total' | 'chained'>
  readonly timeline: Pick<Timeline, 'ranges'>
  /** The newest entry's seq; 0 in an empty journal. */
  head(): number
}

const insertSql = `INSERT INTO journal
  (seq, id, ts, ws, combo, crew, agent, type, severity, mission, trace, actor, run, priority, doc, prev_hash,
   entry_hash, scheme)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ${scheme})`

/** Appends to the journal, with one hash chain for each workspace. */
export function createJournal(db: Db, clock: () => number): Journal {
  const undo = createUndoLog()
  const names = createNames(db, undo)
  const combos = createCombos(db, undo)
  const timeline = createTimeline(db, undo)
  const tails = createTails(db)
  const newest = db
    .prepare<[], { seq: number; id: string }>('SELECT seq, id FROM journal ORDER BY seq DESC LIMIT 1')
    .get()
  const nextId = createEntryIds(newest?.id)
  const insert = withinChange(db, db.prepare(insertSql))
  const projections: Projection[] = []
  let seq = newest?.seq ?? 0

  function append(draft: Draft): Recorded {
    const now = clock()
    const before = timeline.newest
    // Advanced only once the row is stored: blocks of totals end at fixed numbers, so no failed append may leave a gap.
    const at = seq + 1
    undo.push(() => timeline.goBackTo(before))
    const ts = timeline.stamp(now, at)
    const entry = complete(draft, nextId(now), new Date(ts).toISOString())
    const { fixed, summary, payload, doc } = render(entry)
    const ws = names.intern(0, entry.workspace_id)
    const nameOf = (text: string | undefined) => (text ? names.intern(ws, text) : null)
    const [crew, agent, actor] = [nameOf(entry.crew_id), nameOf(entry.agent_id), nameOf(entry.actor_id)]
    const type = names.intern(ws, entry.entry_type)
    const severity = severities.indexOf(entry.severity)
    const combo = combos.intern(ws, {
      crew: crew ?? 0,
      agent: agent ?? 0,
      type,
      severity,
      actorType: actorTypes.indexOf(entry.actor_type),
    })
    const run = entry.payload?.['run_id']
    const tail = tails.of(ws)
    const { last } = combo
    const parts = { prev: tail.hash, payload: hashPart(payload), summary: hashPart(summary) }
    const hash = hashEntry(parts, covered(fixed, entry.priority))
    insert.run(
      at,
      entry.id,
      ts,
      ws,
      combo.combo,
      crew,
      agent,
      type,
      severity,
      nameOf(entry.mission_id),
      nameOf(entry.trace_id),
      actor,
      typeof run === 'string' ? nameOf(run) : null,
      priorities.indexOf(entry.priority),
      doc,
      tail.hash,
      hash,
    )
    seq = at
    undo.push(() => {
      seq = at - 1
      combos.uncount(combo, last)
      tails.move(ws, tail)
    })
    combos.count(combo, at)
    tails.move(ws, { seq: at, hash })
    for (const projection of projections) projection(entry, at, ts)
    return new Stored(at, doc)
  }

  const { mark, rewind, forget, settle } = undo
  return {
    append,
    mark,
    rewind,
    forget,
    settle,
    project: (projection) => void projections.push(projection),
    index: { names, combos, timeline, head: () => seq },
    tails,
    eraser: createEraser(db, combos, tails),
  }
}

class Stored implements Recorded {
  readonly seq: number
  readonly doc: string
  #entry: Entry | undefined

  constructor(seq: number, doc: string) {
    this.seq = seq
    this.doc = doc
  }

  get entry(): Entry {
    this.#entry ??= JSON.parse(this.doc) as Entry
    return this.#entry
  }
}

/** Control characters and line separators. */
const breaking = /\s*[\p{Cc}\u2028\u2029]+\s*/gu
/** Lone surrogates and bidirectional controls. */
const removed = /[\p{Cs}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu
const unfit = /[\p{Cc}\p{Cs}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/u

/** Matches most sentences, without the cost of Unicode properties. */
const plain = /^[ -~]*$/

/** A summary on one line, without characters that would change how terminals and pages show it. */
const sentence = (text: string): string =>
  plain.test(text) || !unfit.test(text) ? text : text.replace(breaking, ' ').replace(removed, '')

/** The entry as it is stored, without empty members. */
function complete(draft: Draft, id: string, ts: string): Entry {
  return {
    id,
    workspace_id: draft.workspace_id,
    crew_id: draft.crew_id || undefined,
    agent_id: draft.agent_id || undefined,
    mission_id: draft.mission_id || undefined,
    ts,
    entry_type: draft.type,
    severity: draft.severity,
    priority: draft.priority ?? 'normal',
    actor_type: draft.actor_type,
    actor_id: draft.actor_id || undefined,
    summary: sentence(draft.summary),
    payload: filled(draft.payload),
    refs: filled(draft.refs),
    trace_id: draft.trace_id || undefined,
  }
}

const filled = (members: Record<string, unknown> | undefined) =>
  members && Object.values(members).some((value) => value !== undefined) ? members : undefined
