import { createHash } from 'node:crypto'
import { type ActorType, type Entry, type EntryType, entries, type Priority, type Severity } from '#contract/entries'
import type { Db } from './db.ts'
import { newHexId } from './ids.ts'

/** What a writer says of an entry; the journal adds id, time and defaults. */
export interface Draft {
  workspace_id: string
  type: EntryType
  summary: string
  actor_type: ActorType
  actor_id?: string
  crew_id?: string
  agent_id?: string
  mission_id?: string
  trace_id?: string
  severity?: Severity
  priority?: Priority
  payload?: Record<string, unknown>
  refs?: Record<string, unknown>
}

/** A stored entry: `seq` is its true order, `doc` its exact JSON. */
export interface Recorded {
  seq: number
  entry: Entry
  doc: string
}

export interface Journal {
  /** Within a transaction. */
  append(draft: Draft): Recorded
  /** Remembers where the chain stands, `rewind` goes back there, `forget` reads it anew from the table. */
  mark(): void
  rewind(): void
  forget(): void
}

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

/** Hash of an entry over its immutable members and its payload's hash, so that erasing a payload keeps the chain verifiable. */
export function entryHash(entry: Entry, prev: string, payloadHash: string): string {
  const { payload: _payload, priority: _priority, refs, ...fixed } = entry
  return sha256(JSON.stringify([prev, fixed, refs ?? null, payloadHash]))
}

export const payloadHash = (payload: Entry['payload']): string => (payload ? sha256(JSON.stringify(payload)) : '')

const emptyless = <T extends object>(value: T | undefined): T | undefined => (value && Object.keys(value).length ? value : undefined)

/** The append side of the journal (architecture.md section 5). One chain of hashes for each workspace. */
export function createJournal(db: Db, clock: () => number): Journal {
  const insert = db.prepare(
    `INSERT INTO journal (id, workspace_id, ts, crew_id, agent_id, mission_id, trace_id, entry_type, severity, priority, actor_type, actor_id, doc, payload_hash, prev_hash, entry_hash)
     VALUES (@id, @workspace_id, @ts, @crew_id, @agent_id, @mission_id, @trace_id, @entry_type, @severity, @priority, @actor_type, @actor_id, @doc, @payload_hash, @prev_hash, @entry_hash)`,
  )
  const last = db.prepare<[string], { entry_hash: string }>('SELECT entry_hash FROM journal WHERE workspace_id = ? ORDER BY seq DESC LIMIT 1')
  let tails = new Map<string, string>()
  let saved = new Map<string, string>()

  const tail = (workspace: string) => tails.get(workspace) ?? last.get(workspace)?.entry_hash ?? ''

  return {
    append(draft) {
      const entry: Entry = {
        id: newHexId('j'),
        workspace_id: draft.workspace_id,
        crew_id: draft.crew_id || undefined,
        agent_id: draft.agent_id || undefined,
        mission_id: draft.mission_id || undefined,
        ts: new Date(clock()).toISOString(),
        entry_type: draft.type,
        severity: draft.severity ?? entries[draft.type],
        priority: draft.priority ?? 'normal',
        actor_type: draft.actor_type,
        actor_id: draft.actor_id || undefined,
        summary: draft.summary,
        payload: emptyless(draft.payload),
        refs: emptyless(draft.refs),
        trace_id: draft.trace_id || undefined,
      } as Entry
      const doc = JSON.stringify(entry)
      const plain: Entry = JSON.parse(doc)
      const prev = tail(entry.workspace_id)
      const bodyHash = payloadHash(plain.payload)
      const hash = entryHash(plain, prev, bodyHash)
      const { lastInsertRowid } = insert.run({
        id: plain.id,
        workspace_id: plain.workspace_id,
        ts: clock(),
        crew_id: plain.crew_id ?? null,
        agent_id: plain.agent_id ?? null,
        mission_id: plain.mission_id ?? null,
        trace_id: plain.trace_id ?? null,
        entry_type: plain.entry_type,
        severity: plain.severity,
        priority: plain.priority,
        actor_type: plain.actor_type,
        actor_id: plain.actor_id ?? null,
        doc,
        payload_hash: bodyHash,
        prev_hash: prev,
        entry_hash: hash,
      })
      tails.set(plain.workspace_id, hash)
      return { seq: Number(lastInsertRowid), entry: plain, doc }
    },
    mark: () => {
      saved = new Map(tails)
    },
    rewind: () => {
      tails = saved
    },
    forget: () => {
      tails = new Map()
    },
  }
}
