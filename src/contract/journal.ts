import { Type } from 'typebox'
import { get, post } from './define.ts'
import { actorTypes, priorities, severities } from './entries.ts'

const text = Type.String()
const optional = (description: string) => Type.Optional(Type.String({ description }))

export const JournalEntry = Type.Object({
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
})

/** Filters are ANDed; comma-separated lists mean any of them. Specification part 3, "Journal". */
const filters = {
  crew_id: optional('Crews'),
  agent_id: optional('Agents'),
  mission_id: optional('Missions'),
  trace_id: optional('Traces'),
  run_id: optional('Runs: matches trace_id, actor_id or payload.run_id'),
  crew_ids: optional('Wins over crew_id'),
  agent_ids: optional('Wins over agent_id'),
  entry_type: optional('Entry types'),
  exclude_entry_type: optional('Entry types left out'),
  severity: optional('info, notice, warn, error'),
  actor_type: optional('agent, user, system, keeper, sidecar, orchestrator'),
  priority: optional('normal, high, pin, permanent'),
  since: optional('RFC 3339, inclusive'),
  until: optional('RFC 3339, inclusive'),
  q: optional('One phrase in summary or payload, at most 200 characters'),
}

const limit = Type.Optional(Type.Union([Type.Integer(), Type.String()], { description: '1 to 500, default 100' }))

/** A journal without a workspace is nobody's: 401, by the specification's part 3, "Errors". */
const ofSession = { workspace: 'session', unnamed: 'no_workspace' } as const

export const journal = {
  list: get('/journal', {
    summary: 'List journal entries, newest first',
    access: 'VIEWER',
    ...ofSession,
    kind: 'text',
    query: Type.Object({ ...filters, cursor: optional('next_cursor of the page before'), limit }),
    reply: Type.Object({ entries: Type.Array(JournalEntry), next_cursor: Type.Optional(text), count: Type.Integer({ description: 'Entries in this page' }) }),
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
      crews: Type.Array(Type.Object({ id: text, name: text, slug: text, icon: Type.Union([text, Type.Null()]), color: Type.Union([text, Type.Null()]) })),
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
  stream: get('/journal/stream', {
    summary: 'Follow the journal as Server-Sent Events; Last-Event-ID fills the gap since',
    access: 'VIEWER',
    ...ofSession,
    kind: 'stream',
    query: Type.Object(filters),
    throws: ['unavailable'],
  }),
  verify: get('/journal/verify', {
    summary: 'Check the chain of hashes over the whole journal',
    access: 'ADMIN',
    ...ofSession,
    reply: Type.Object({
      valid: Type.Boolean(),
      entries: Type.Integer({ description: 'Entries checked' }),
      erased: Type.Integer({ description: 'Entries whose payload was erased; their place in the chain still holds' }),
      head: Type.Union([Type.Object({ id: text, hash: text }), Type.Null()], { description: 'The newest entry: note it elsewhere to detect a cut' }),
      broken: Type.Union([Type.Object({ id: text, reason: text }), Type.Null()], { description: 'The first entry that does not hold' }),
    }),
    throws: ['unavailable'],
  }),
  show: get('/journal/:entryId', {
    summary: 'Show one journal entry',
    access: 'VIEWER',
    ...ofSession,
    kind: 'text',
    reply: JournalEntry,
    throws: ['not_found'],
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
