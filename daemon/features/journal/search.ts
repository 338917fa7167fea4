import type { Range } from '#kernel/journal/timeline'
import type { Db } from '#kernel/store/db'
import type { Check, Stream, Wanted } from './plan.ts'
import type { Reader } from './reader.ts'
import { createForgetting } from './unindexed.ts'

/** A search, planned on the main thread. */
export interface SearchPlan {
  /** Full-text expression: the phrase and the tags of the filters. */
  match: string
  ranges: Range[]
  /** Conditions that a hit still has to meet. */
  check: Check | null
  /** Streams that contain all matches, where there are few entries in them. */
  among: Stream[]
  ws: number
  /** Newest entry that must be searched. */
  head: number
}

export interface Search {
  /** The newest matches; `rest` is where to continue when the index does not reach further down yet. */
  find(plan: SearchPlan, limit: number): { seqs: number[]; rest?: number }
  /** Number of matches; null while the index does not reach far enough. */
  count(plan: SearchPlan): number | null
  /** Indexes some entries, newest first; false when all are indexed. */
  work(head: number): boolean
}

/** Entries indexed in one transaction. */
const batch = 500
/** Milliseconds that a request may spend on indexing entries. */
const indexingMs = 1_500
/** Up to this many entries of an index are compared with the hits one by one. */
const narrowLimit = 10_000
/** Up to this many combinations are named in the expression: the rarest tags make the fastest search. */
const fewCombos = 60

export const tokenizer = 'porter unicode61 remove_diacritics 2'

const schema = `
  CREATE VIRTUAL TABLE IF NOT EXISTS entries USING fts5(summary, payload, tags, content='', contentless_delete=1,
  tokenize='${tokenizer}');
  CREATE TABLE IF NOT EXISTS reach (one INTEGER PRIMARY KEY CHECK (one = 1), low INTEGER NOT NULL,
  high INTEGER NOT NULL, high_id TEXT NOT NULL) STRICT;
  INSERT INTO reach VALUES (1, 0, 0, '') ON CONFLICT DO NOTHING;
  CREATE TABLE IF NOT EXISTS forgotten (one INTEGER PRIMARY KEY CHECK (one = 1), batch INTEGER NOT NULL) STRICT;
`

interface Row {
  seq: number
  id: string
  ws: number
  combo: number
  crew: number | null
  agent: number | null
  type: number
  severity: number
  doc: string
  /** What it said was erased. */
  erased: number
}

/** Casts numbers, which are bound as reals: the index skips only to integers, or a deep page reads all newer rows. */
const bounds = 'rowid > CAST(? AS INTEGER) AND rowid <= CAST(? AS INTEGER)'

/** Quotes a phrase, so that operators in it have no meaning. */
export const quote = (phrase: string): string => `"${phrase.replaceAll('\0', ' ').replaceAll('"', '""')}"`

/** The full-text expression of a phrase with filters. */
export function matchText(phrase: string, wanted: Wanted, combos: { combo: number }[] | null): string {
  const text = `{summary payload} : ${quote(phrase)}`
  const any = (letter: string, names: Iterable<number> | undefined) =>
    names && `(${[...names].map((name) => `${letter}${name}`).join(' OR ')})`
  if (combos && combos.length <= fewCombos) {
    return `${text} AND tags : ${any(
      'k',
      combos.map(({ combo }) => combo),
    )}`
  }
  const all = [
    any('w', [wanted.ws]),
    any('c', wanted.crews),
    any('a', wanted.agents),
    any('t', wanted.types),
    any('s', wanted.severities),
    any('o', wanted.actorTypes),
  ]
  const without = wanted.withoutTypes?.size ? ` NOT tags : ${any('t', wanted.withoutTypes)}` : ''
  return `(${text} AND tags : (${all.filter((it) => it !== undefined).join(' AND ')}))${without}`
}

/**
 * The full-text index, in a separate database that can be rebuilt from the journal at any time. It covers the entries
 * with low < seq <= high: new ones extend it upwards, a rebuild downwards, so that the newest are found first.
 */
export function createSearch(
  journal: Db,
  index: Db,
  reader: Pick<Reader, 'accepts' | 'seqs'>,
  actorTypes: readonly string[],
  /** Further behind than this, the index starts anew at the newest entry and grows downwards. */
  longestLag = 20_000,
): Search {
  index.exec(schema)
  const columns = `seq, id, ws, combo, crew, agent, type, severity, doc,
    payload_hash IS NOT NULL OR summary_hash IS NOT NULL AS erased`
  const newer = journal.prepare<[number, number, number], Row>(
    `SELECT ${columns} FROM journal WHERE seq > ? AND seq <= ? ORDER BY seq LIMIT ?`,
  )
  const older = journal.prepare<[number, number], Row>(
    `SELECT ${columns} FROM journal WHERE seq <= ? ORDER BY seq DESC LIMIT ?`,
  )
  const idAt = journal
    .prepare<{ seq: number }, string>(
      `SELECT coalesce((SELECT id FROM journal WHERE seq = @seq),
        (SELECT json_extract(fixed, '$.id') FROM journal_husks WHERE seq = @seq))`,
    )
    .pluck()
  const forgetting = createForgetting(journal, index)
  const kept = journal
    .prepare<[number], 1>('SELECT 1 FROM journal WHERE seq = ? AND payload_hash IS NULL AND summary_hash IS NULL')
    .pluck()
  const insert = index.prepare('INSERT INTO entries (rowid, summary, payload, tags) VALUES (?, ?, ?, ?)')
  const save = index.prepare<[number, number, string]>('UPDATE reach SET low = ?, high = ?, high_id = ?')
  const hits = index
    .prepare<[string, number, number, number], number>(
      `SELECT rowid FROM entries WHERE entries MATCH ? AND ${bounds} ORDER BY rowid DESC LIMIT ?`,
    )
    .pluck()
  const total = index
    .prepare<[string, number, number], number>(`SELECT count(*) FROM entries WHERE entries MATCH ? AND ${bounds}`)
    .pluck()
  let reach = index
    .prepare<[], { low: number; high: number; high_id: string }>('SELECT low, high, high_id FROM reach')
    .get()!

  const add = index.transaction((rows: Row[], low: number, high: number, highId: string) => {
    for (const row of rows) {
      if (row.erased) continue
      const { summary, payload, actor_type } = JSON.parse(row.doc) as {
        summary: string
        payload?: object
        actor_type: string
      }
      const place = `w${row.ws} c${row.crew ?? 0} a${row.agent ?? 0}`
      const tags = `${place} t${row.type} s${row.severity} o${actorTypes.indexOf(actor_type)} k${row.combo}`
      insert.run(row.seq, summary, payload ? JSON.stringify(payload) : null, tags)
    }
    save.run(low, high, highId)
  })

  function beginAt(seq: number): void {
    const id = idAt.get({ seq }) ?? ''
    index.transaction(() => {
      index.exec("INSERT INTO entries (entries) VALUES ('delete-all')")
      save.run(seq, seq, id)
    })()
    forgetting.begin()
    reach = { low: seq, high: seq, high_id: id }
  }

  /** Discards an index that belongs to another journal, is ahead of this one, or is far behind. */
  function settle(head: number): void {
    const foreign = reach.high > 0 && idAt.get({ seq: reach.high }) !== reach.high_id
    if (!foreign && !forgetting.lost() && head - reach.high <= longestLag) return
    beginAt(head > longestLag ? head : 0)
  }

  function up(head: number): boolean {
    settle(head)
    const rows = newer.all(reach.high, head, batch)
    const last = rows.at(-1)
    if (!last) return false
    add(rows, reach.low, last.seq, last.id)
    reach = { low: reach.low, high: last.seq, high_id: last.id }
    return true
  }

  function down(): boolean {
    if (reach.low === 0) return false
    const rows = older.all(reach.low, batch)
    const low = rows.length < batch ? 0 : rows.at(-1)!.seq - 1
    // Inserting in ascending order is far faster.
    add(rows.reverse(), low, reach.high, reach.high_id)
    reach = { ...reach, low }
    return true
  }

  function catchUp(head: number): void {
    while (up(head));
  }

  /** Whether an entry still says what was indexed of it: what was erased is found no more, from that moment on. */
  const there = (seq: number): boolean => kept.get(seq) !== undefined

  /** Matches within (after, upTo], which is fully indexed. */
  function within({ match, check, among, ws }: SearchPlan, range: Range, limit: number): number[] {
    const holds = check ? (seq: number) => reader.accepts(check, seq) && there(seq) : there
    if (check) {
      const narrow = reader.seqs({ ws, ranges: [range], streams: among, check: null }, narrowLimit)
      if (among.length && narrow.length < narrowLimit) return amongThese(match, holds, narrow, limit)
    }
    const found: number[] = []
    const size = check ? batch : Math.min(limit, batch)
    for (let next = range.upTo; found.length < limit && next > range.after; ) {
      const chunk = hits.all(match, range.after, next, size)
      found.push(...chunk.filter(holds))
      next = chunk.length < size ? range.after : chunk.at(-1)! - 1
    }
    return found.slice(0, limit)
  }

  /** Hits among given entries: each is looked up if they are far apart, else all hits between them are filtered. */
  function amongThese(match: string, holds: (seq: number) => boolean, seqs: number[], limit: number): number[] {
    const [newest] = seqs
    if (newest === undefined) return []
    const oldest = seqs.at(-1)!
    // Skipping to an entry costs as much as reading some hundred hits.
    if (newest - oldest > 400 * seqs.length) {
      const found: number[] = []
      for (const seq of seqs) {
        if (found.length >= limit) break
        if (holds(seq) && hits.all(match, seq - 1, seq, 1).length) found.push(seq)
      }
      return found
    }
    const known = new Set(seqs)
    const between = hits.all(match, oldest - 1, newest, -1)
    return between.filter((seq) => known.has(seq) && holds(seq)).slice(0, limit)
  }

  function find(plan: SearchPlan, limit: number): { seqs: number[]; rest?: number } {
    catchUp(plan.head)
    const deadline = performance.now() + indexingMs
    const seqs: number[] = []
    for (const range of plan.ranges) {
      for (let upTo = range.upTo; upTo > range.after && seqs.length < limit; ) {
        const floor = Math.max(range.after, reach.low)
        if (upTo > floor) seqs.push(...within(plan, { after: floor, upTo }, limit - seqs.length))
        else if (performance.now() > deadline) return { seqs, rest: reach.low }
        else down()
        upTo = Math.min(upTo, floor)
      }
    }
    return { seqs }
  }

  return {
    find,
    count(plan) {
      catchUp(plan.head)
      const deadline = performance.now() + indexingMs
      while (forgetting.work()) if (performance.now() > deadline) return null
      let sum = 0
      for (const range of plan.ranges) {
        if (range.after < reach.low) {
          const { rest } = find(
            { ...plan, ranges: [{ after: range.after, upTo: Math.min(range.upTo, reach.low) }] },
            Number.MAX_SAFE_INTEGER,
          )
          if (rest !== undefined) return null
        }
        sum += plan.check
          ? within(plan, range, Number.MAX_SAFE_INTEGER).length
          : total.get(plan.match, range.after, range.upTo)!
      }
      return sum
    },
    work: (head) => up(head) || forgetting.work() || down(),
  }
}
