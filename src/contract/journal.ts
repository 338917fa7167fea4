import { type Static, Type } from 'typebox'
import { get, post } from './define.ts'
import { actorTypes, priorities, severities } from './entries.ts'
import { page } from './fields.ts'
import { Compacting, Compaction } from './journal-compaction.ts'
import { Erasure } from './journal-erasure.ts'

const text = Type.String()
const optional = (description: string) => Type.Optional(Type.String({ description }))

export const JournalEntry = Type.Object(
  {
    id: Type.String({ description: 'j_ and 16 hexadecimal digits that grow with every entry' }),
    workspace_id: text,
    crew_id: Type.Optional(text),
    agent_id: Type.Optional(text),
    mission_id: Type.Optional(text),
    ts: Type.String({ description: 'RFC 3339, milliseconds' }),
    entry_type: text,
    severity: Type.Enum(severities),
    priority: Type.Enum(priorities),
    actor_type: Type.Enum(actorTypes),
    actor_id: Type.Optional(text),
    summary: text,
    payload: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
    refs: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
    trace_id: Type.Optional(text),
  },
  { title: 'JournalEntry' },
)

/**
 * Kinds of what does not hold. `chain`: an entry was changed, or one before it is missing. `forged`: it is not the one
 * that was sealed. `rolled_up`: more entries left the journal than its summaries tell of.
 */
const faults = ['chain', 'columns', 'order', 'rolled_up', 'truncated', 'forged', 'replaced', 'seal_missing'] as const
/**
 * What a check can prove. `columns`: what lists are filtered by agrees with the entries. `roll_ups`: every entry that
 * left the journal is counted by a summary. `seal`, `anchor`: the head known from there is here.
 */
const proofs = ['chain', 'columns', 'order', 'priorities', 'roll_ups', 'seal', 'anchor'] as const
/**
 * What it cannot. `unsealed`: entries after the newest seal rest on the chain alone. `erased`: what erased payloads and
 * summaries said, also those of entries that were rolled up. `key_holder`: who has the key can forge. `rollback`:
 * database and seals put back together to an earlier state; an anchor kept elsewhere shows it, for what is older than
 * it. `earlier`: what had been passed when the verification was interrupted, and was changed since.
 */
const gaps = ['unsealed', 'erased', 'key_holder', 'rollback', 'earlier'] as const
export type Proof = (typeof proofs)[number]
export type Gap = (typeof gaps)[number]

const nothing = Type.Null()
const Fault = Type.Object({
  kind: Type.Enum(faults),
  seq: Type.Union([Type.Integer(), nothing], { description: 'Place in the journal of the whole server' }),
  id: Type.Union([text, nothing]),
  reason: text,
})
export type Fault = Static<typeof Fault>

const Head = Type.Union([Type.Object({ id: text, hash: text }), nothing], { description: 'The newest entry' })

export const Verdict = Type.Object({
  valid: Type.Boolean(),
  entries: Type.Integer({ description: 'Entries that hold' }),
  erased: Type.Integer({ description: 'Entries whose payload was erased; their place in the chain still holds' }),
  erased_summaries: Type.Integer({ description: 'Entries whose summary was erased' }),
  compacted: Type.Integer({ description: 'Entries that were rolled up; their place in the chain still holds' }),
  head: Head,
  sealed: Type.Union([Type.Object({ entries: Type.Integer(), seq: Type.Integer(), at: text }), nothing], {
    description: 'What the newest seal covers',
  }),
  unsealed: Type.Integer({ description: 'Entries after it' }),
  resumed: Type.Union([Type.Object({ entries: Type.Integer(), at: text }), nothing], {
    description: 'The entries that were passed before this verification was interrupted, and when that was',
  }),
  proven: Type.Array(Type.Enum(proofs)),
  not_proven: Type.Array(Type.Enum(gaps)),
  broken: Type.Union([Fault, nothing], { description: 'The first thing that does not hold' }),
})
export type Verdict = Static<typeof Verdict>

const Progress = Type.Object({
  type: Type.Enum(['progress', 'interrupted'] as const),
  entries: Type.Integer({ description: 'Entries that were passed' }),
  of: Type.Integer(),
})
/** A line of a verification that tells how far it is. */
export type VerificationLine = Static<typeof Progress> | { type: 'verdict'; verdict: Verdict }

const Anchor = Type.Object({
  workspace_id: text,
  installation: text,
  entries: Type.Integer(),
  head: Head,
  at: Type.String({ description: 'RFC 3339, whole seconds' }),
  mac: Type.String({ description: 'HMAC-SHA256 over the rest, with a key of the installation' }),
  anchor: Type.String({ description: 'All of it in one word, to be kept elsewhere' }),
})

const FactRow = Type.Object({
  name: Type.String({ description: 'Of the fact: its entry type, or what it was done to and what happened' }),
  entry_type: text,
  severity: Type.Enum(severities, { description: 'The usual one' }),
  entity_type: Type.Optional(Type.String({ description: 'What an audit entry speaks of' })),
  recorded: Type.Boolean({ description: 'False of types that are reserved for later versions' }),
  payload: Type.Optional(Type.Record(Type.String(), Type.Unknown(), { description: 'JSON Schema of the payload' })),
})

/** Filters are ANDed; comma-separated lists mean any of them. docs/rules/journal.md, "Queries". */
const filters = {
  crew_id: optional('Crews'),
  agent_id: optional('Agents'),
  mission_id: optional('Missions'),
  trace_id: optional('Traces'),
  run_id: optional('Runs: matches trace_id, actor_id or payload.run_id'),
  crew_ids: optional('Wins over crew_id'),
  agent_ids: optional('Wins over agent_id'),
  entry_type: optional('Entry types, of those that /journal/types lists'),
  exclude_entry_type: optional('Entry types left out'),
  severity: optional('info, notice, warn, error'),
  actor_type: optional('agent, user, system, keeper, sidecar, orchestrator'),
  priority: optional('normal, high, pin, permanent'),
  since: optional('RFC 3339, inclusive'),
  until: optional('RFC 3339, inclusive'),
  q: optional('One phrase in summary or payload, at most 200 characters'),
}

const limit = Type.Optional(Type.Union([Type.Integer(), Type.String()], { description: '1 to 500, default 100' }))

/** A journal without a workspace is nobody's: 401, by docs/rules/http.md, "Problems". */
const ofSession = { workspace: 'session', unnamed: 'no_workspace' } as const

export const journal = {
  list: get('/journal', {
    summary: 'List journal entries, newest first',
    access: 'VIEWER',
    ...ofSession,
    kind: 'text',
    query: Type.Object({ ...filters, cursor: optional('next_cursor of the page before'), limit }),
    reply: Type.Object({
      entries: Type.Array(JournalEntry),
      next_cursor: Type.Optional(text),
      count: Type.Integer({ description: 'Entries in this page' }),
    }),
    throws: ['unavailable'],
  }),
  count: get('/journal/count', {
    summary: 'Count journal entries',
    access: 'VIEWER',
    ...ofSession,
    query: Type.Object(filters),
    reply: Type.Object({ total: Type.Integer() }),
    throws: ['unavailable'],
  }),
  lookup: get('/journal/lookup', {
    summary: 'Names of the crews, agents and missions that entries speak of',
    access: 'VIEWER',
    ...ofSession,
    reply: Type.Object({
      crews: Type.Array(
        Type.Object({
          id: text,
          name: text,
          slug: text,
          icon: Type.Union([text, Type.Null()]),
          color: Type.Union([text, Type.Null()]),
        }),
      ),
      agents: Type.Array(
        Type.Object({
          id: text,
          name: text,
          slug: text,
          crew_id: Type.Union([text, Type.Null()]),
          avatar_seed: Type.Union([text, Type.Null()]),
          avatar_style: Type.Union([text, Type.Null()]),
        }),
      ),
      missions: Type.Array(Type.Object({ id: text, title: text, status: text })),
    }),
  }),
  types: get('/journal/types', {
    summary: 'List the facts that the journal records, and what each carries',
    access: 'VIEWER',
    ...ofSession,
    reply: Type.Object({ types: Type.Array(FactRow) }),
  }),
  stream: get('/journal/stream', {
    summary: 'Follow the journal as Server-Sent Events; Last-Event-ID fills the gap since',
    access: 'VIEWER',
    ...ofSession,
    kind: 'stream',
    query: Type.Object(filters),
    throws: ['unavailable'],
  }),
  anchor: get('/journal/anchor', {
    summary: 'The head of the journal in one word, to be kept elsewhere',
    access: 'ADMIN',
    ...ofSession,
    reply: Anchor,
    throws: ['encryption_unavailable'],
  }),
  verification: get('/journal/verification', {
    summary: 'The same, with how far it is: one JSON object a line',
    access: 'ADMIN',
    ...ofSession,
    kind: 'stream',
    query: Type.Object({
      anchor: Type.Optional(Type.String({ maxLength: 500, description: 'as for verify' })),
      resume: Type.Optional(Type.Boolean({ description: 'go on where the last verification was interrupted' })),
    }),
    throws: ['unavailable', 'encryption_unavailable'],
  }),
  verify: get('/journal/verify', {
    also: '/admin/journal/verify',
    summary: 'Check that the journal is the one that was written',
    access: 'ADMIN',
    ...ofSession,
    query: Type.Object({
      anchor: Type.Optional(
        Type.String({ maxLength: 500, description: 'A kept anchor: what it tells of must still be so' }),
      ),
    }),
    reply: Verdict,
    throws: ['unavailable', 'encryption_unavailable'],
  }),
  compaction: get('/journal/compaction', {
    summary: 'Show how long entries are kept in full, and which were rolled up',
    access: 'VIEWER',
    ...ofSession,
    reply: Compaction,
  }),
  compact: post('/journal/compact', {
    summary: 'Roll up the entries that are older than the retention',
    access: 'ADMIN',
    ...ofSession,
    scope: 'workspace:admin',
    status: 202,
    bodyOptional: true,
    body: Type.Object({
      before: Type.Optional(
        Type.String({ pattern: '^\\d{4}-\\d\\d-\\d\\d$', description: 'a UTC day: only entries before it' }),
      ),
    }),
    reply: Compacting,
    journal: ['system.compaction'],
    throws: ['unavailable', 'compaction_running', 'journal_kept'],
  }),
  erase: post('/journal/erasures', {
    summary: 'Erase what the journal says of a person, for the law',
    access: 'ADMIN',
    ...ofSession,
    scope: 'workspace:admin',
    stepUp: true,
    status: 202,
    body: Type.Object({
      user_id: Type.String({ maxLength: 100 }),
      reason: Type.String({ minLength: 1, maxLength: 500, description: 'stays on record: name nobody in it' }),
    }),
    reply: Erasure,
    journal: ['journal.erasure'],
    throws: ['not_found', 'own_erasure', 'erasure_running'],
  }),
  erasures: get('/journal/erasures', {
    summary: 'List erasures of what the journal says of people, newest first',
    access: 'ADMIN',
    ...ofSession,
    query: Type.Object(page),
    reply: Type.Array(Erasure),
  }),
  show: get('/journal/:entryId', {
    summary: 'Show one journal entry',
    access: 'VIEWER',
    ...ofSession,
    kind: 'text',
    reply: JournalEntry,
    throws: ['not_found', 'entry_rolled_up'],
  }),
  priority: post('/journal/:entryId/priority', {
    summary: 'Mark how an entry is kept and recalled',
    access: 'ADMIN',
    ...ofSession,
    scope: 'workspace:admin',
    status: 200,
    body: Type.Object({ priority: Type.Enum(priorities), reason: Type.Optional(text) }),
    reply: Type.Object({ id: text, priority: Type.Enum(priorities), previous: Type.Enum(priorities), reason: text }),
    journal: ['memory.priority_changed'],
    throws: ['not_found'],
  }),
}
