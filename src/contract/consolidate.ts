import { type Static, Type } from 'typebox'
import { get, post } from './define.ts'
import { Id, page, Time } from './fields.ts'

export const proposalStatuses = ['pending', 'approved', 'rejected'] as const
export type ProposalStatus = (typeof proposalStatuses)[number]

/** Bytes of a staged text that is read at most. */
export const stagingCap = 8 * 1024 * 1024
/** Characters of a reason at most. */
export const reasonLength = 2000

const text = Type.String()
const optional = Type.Optional

const Rule = Type.Object({
  pattern: Type.String({ description: 'When it applies' }),
  action: Type.String({ description: 'What to do then' }),
  evidence: Type.Array(text, { description: 'Ids of journal entries' }),
  confidence: Type.Number({ description: '0 to 1, as the summarizer gave it' }),
})
export type LearnedRule = Static<typeof Rule>

const about = {
  proposal_id: Id,
  workspace_id: Id,
  crew_id: Id,
  status: Type.Enum(proposalStatuses),
  kind: Type.Enum(['learned', 'removal'], { description: 'removal: rules that never helped, to be taken out again' }),
  proposal_path: Type.String({ description: 'What the staged text is called' }),
  rules_count: Type.Integer(),
  entries_scanned: Type.Integer({ description: 'Journal entries that the summarizer was given' }),
  created_at: Time,
  decided_at: optional(Time),
  decided_by_user_id: optional(Id),
}

const Proposal = Type.Object({
  ...about,
  crew_slug: text,
  model: Type.String({ description: 'Who proposed it' }),
  reason: optional(Type.String({ description: 'Why it was rejected' })),
})

/** The parts of a score. Clients know them by these names. */
const parts = {
  Relevance: Type.Number(),
  Frequency: Type.Number(),
  QueryDiversity: Type.Number(),
  Recency: Type.Number(),
  Consolidation: Type.Number(),
  ConceptualRichness: Type.Number(),
}
const Score = Type.Object({
  signals: Type.Object(parts, { description: 'Each from 0 to 1' }),
  weights: Type.Object(parts),
  composite: Type.Number({ description: 'The signals by their weights, 0 to 1' }),
  recall_count: Type.Integer({ description: 'Searches of the last seven days that found its evidence' }),
  unique_queries: Type.Integer({ description: 'What they looked for, each counted once' }),
  promoted: Type.Boolean({ description: 'Whether it reaches the thresholds' }),
  thresholds: Type.Object({
    MinScore: Type.Number(),
    MinRecallCount: Type.Integer(),
    MinUniqueQueries: Type.Integer(),
  }),
})
export type Score = Static<typeof Score>

/** A call without a workspace is nobody's: 401, as for the journal. */
const ofSession = { workspace: 'session', unnamed: 'no_workspace' } as const
const reading = { access: 'MEMBER', ...ofSession, throws: ['not_found'] } as const
const deciding = { access: 'ADMIN', scope: 'agents:write', ...ofSession, status: 200 } as const

/** What agents learned, proposed as rules and decided by people. docs/consolidation.md. */
export const consolidate = {
  run: post('/consolidate/run', {
    summary: 'Read the journal of crews now, and propose what they are to remember',
    access: 'ADMIN',
    scope: 'agents:write',
    ...ofSession,
    status: 202,
    noDryRun: 'it asks a model',
    bodyOptional: true,
    body: Type.Object({
      crew_id: optional(Type.String({ maxLength: 64, description: 'Id of a crew; all unless given' })),
      since: optional(
        Type.String({
          maxLength: 64,
          description: 'How far back it reads, such as 90m, 24h, 3d or 2w; 24h unless stated, and for what is none',
        }),
      ),
    }),
    reply: Type.Object({
      accepted: Type.Literal(true),
      note: Type.String({ description: 'Why nothing was triggered; empty otherwise' }),
      triggered: optional(Type.Literal(true)),
      worker_id: optional(Id),
    }),
    journal: ['system.consolidation_triggered', 'system.consolidation_completed'],
    throws: ['not_found', 'consolidation_running'],
  }),
  proposals: get('/consolidate/proposed', {
    summary: 'List proposals of what crews are to remember, newest first',
    access: 'MEMBER',
    ...ofSession,
    query: Type.Object({
      ...page,
      status: optional(Type.Enum([...proposalStatuses, 'all'], { description: 'pending unless stated' })),
      crew_id: optional(Type.String({ description: 'Id of a crew' })),
    }),
    reply: Type.Object({
      proposals: Type.Array(Proposal),
      count: Type.Integer({ description: 'In this page' }),
      pending: Type.Integer({ description: 'All that wait for a decision' }),
    }),
  }),
  diff: get('/consolidate/proposed/:proposalId/diff', {
    summary: 'Show what approving a proposal would write',
    ...reading,
    reply: Type.Object({
      proposal_id: Id,
      workspace_id: Id,
      crew_id: Id,
      status: about.status,
      canonical_path: Type.String({ description: 'The memory file that rules learned today are appended to' }),
      canonical_exists: Type.Boolean(),
      proposal_path: about.proposal_path,
      rules_count: Type.Integer(),
      diff: Type.String({ description: 'Unified, with three lines of context; empty when nothing would change' }),
      stats: Type.Object({
        additions: Type.Integer(),
        deletions: Type.Integer({ description: '0 but for a removal: rules are appended' }),
        rules_appended: Type.Integer(),
      }),
    }),
    throws: ['not_found', 'staging_gone', 'body_too_large'],
  }),
  explain: get('/consolidate/proposed/:proposalId/explain', {
    summary: 'Show the rules of a proposal, their evidence and their scores',
    ...reading,
    reply: Type.Object({
      ...about,
      model: Proposal.properties.model,
      evidence: Type.Array(Rule),
      scores: Type.Record(text, Score, { description: 'By pattern' }),
      entries: Type.Array(Type.Object({ id: text, ts: text, entry_type: text, summary: text }), {
        description: 'The journal entries that rules cite, those that are gone left out',
      }),
    }),
    throws: ['not_found', 'unavailable'],
  }),
  approve: post('/consolidate/proposed/:proposalId/approve', {
    summary: "Append a proposal's rules to the memory of its crew",
    ...deciding,
    bodyOptional: true,
    malformed: 'ignore',
    body: Type.Object({}),
    reply: Type.Object({
      proposal_id: Id,
      canonical_path: text,
      rules_merged: Type.Integer(),
      workspace_id: Id,
      crew_id: Id,
      decided_by: Id,
      version_sha: Type.String({ description: 'SHA-256 of the merged file, which has a version of its own' }),
    }),
    journal: ['memory.updated', 'memory.write_rejected', 'memory.write_verifier_blocked', 'memory.consolidated'],
    throws: ['not_found', 'proposal_settled', 'staging_gone', 'body_too_large', 'memory_refused'],
  }),
  reject: post('/consolidate/proposed/:proposalId/reject', {
    summary: 'Reject a proposal; nothing is remembered',
    ...deciding,
    bodyOptional: true,
    malformed: 'ignore',
    // The length is looked at by the service: a reason that is too long is refused, a body that is none at all is not.
    body: Type.Object({ reason: optional(Type.String({ description: `at most ${reasonLength} characters` })) }),
    reply: Type.Object({ proposal_id: Id, status: Type.Literal('rejected'), decided_by: Id, reason: text }),
    journal: ['memory.proposal_rejected'],
    throws: ['not_found', 'proposal_settled'],
  }),
}
