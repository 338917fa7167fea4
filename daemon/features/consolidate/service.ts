import { randomBytes } from 'node:crypto'
import { type consolidate, type LearnedRule, reasonLength, stagingCap } from '#contract/consolidate'
import type { Reply } from '#contract/define'
import { type Acting, fact } from '#contract/entries'
import type { App } from '#kernel/app'
import { actorOf } from '#kernel/dispatch'
import type { Call } from '#kernel/feature'
import { blankToNull, pageOf } from '#kernel/http/fields'
import { Problem, problem } from '#kernel/problem'
import { quotedLines } from '#kernel/quoted-lines'
import { isOpen, open, settle } from '../decisions/service.ts'
import { type Place, readFile, store } from '../memory/service.ts'
import { proposal } from './kind.ts'
import { type ProposalRow, queries } from './queries.ts'
import { addition, appendDiff, canonicalName, mergeBody, stagingText } from './texts.ts'

export interface Proposing {
  crew: { id: string; workspace_id: string; slug: string; name: string }
  rules: readonly LearnedRule[]
  entriesScanned: number
  model: string
  actor: Acting
  now: string
}

/** A run by its time, so that proposals sort as they were made. */
export const newRunId = (now: string): string =>
  `${now.slice(0, 19).replace(/\D/g, '')}-${randomBytes(8).toString('hex')}`

/** Puts rules before people: row, staged text, card and entry in one change. Returns the id. */
export function propose(app: App, { crew, rules, entriesScanned, model, actor, now }: Proposing): string {
  const run = newRunId(now)
  const id = `mp_${run}`
  const proposal_path = `crew:${crew.id}/topics/.proposed/proposal-${run}.md`
  const told = { proposal_id: id, proposal_path, rules_count: rules.length, entries_scanned: entriesScanned }
  queries(app.db).insert.run({
    id,
    workspace_id: crew.workspace_id,
    crew_id: crew.id,
    proposal_path,
    evidence_json: JSON.stringify(rules),
    rules_count: rules.length,
    entries_scanned: entriesScanned,
    model,
    created_at: now,
  })
  queries(app.db).stage.run(id, stagingText(id, now, rules))
  const many = rules.length === 1 ? 'one rule' : `${rules.length} rules`
  open(app, proposal, {
    id,
    workspace: crew.workspace_id,
    asked: `What crew ${crew.slug} is to remember`,
    crew: crew.id,
    card: {
      title: `${crew.name}: ${many} to remember`,
      body: cardText(rules, entriesScanned, model),
      sender: { type: 'crew', id: crew.id, name: crew.name },
      priority: 'medium',
      blocking: false,
      attention: 'review',
      payload: () => told,
    },
    now,
  })
  const source_entry_ids = [...new Set(rules.flatMap(({ evidence }) => evidence))]
  const about = { workspace_id: crew.workspace_id, crew_id: crew.id, ...actor, refs: { source_entry_ids } }
  app.journal(fact('memory.consolidation_proposed', { ...told, model }, about))
  return id
}

function cardText(rules: readonly LearnedRule[], scanned: number, model: string): string {
  const shown = rules.map(({ pattern, action, confidence, evidence }) =>
    quotedLines(`${pattern}\n→ ${action}\n(${Math.round(confidence * 100)} %, evidence: ${evidence.join(', ')})`),
  )
  const head = `From ${scanned} entries of the journal, proposed by \`${model.replaceAll('`', '')}\`.`
  return [`${head} Approved rules are appended to the memory of the crew.`, ...shown].join('\n\n')
}

/** A proposal of the workspace; foreign and absent ones answer alike. */
export function find(app: App, workspace: string, id: string): ProposalRow {
  const row = queries(app.db).find.get(workspace, id)
  if (!row) throw problem('not_found', { field: 'proposalId', detail: 'There is no such proposal' })
  return row
}

/** A proposal that waits for a decision. */
function findPending(app: App, workspace: string, id: string, now: string): ProposalRow {
  const row = find(app, workspace, id)
  if (row.status !== 'pending' || !isOpen(app, id, now))
    throw problem('proposal_settled', {
      detail: `It was ${row.status} already`,
      extra: { proposal_status: row.status },
    })
  return row
}

export const toProposal = ({
  id,
  evidence_json: _rules,
  decided_at,
  decided_by_user_id,
  reason,
  ...row
}: ProposalRow) => ({
  proposal_id: id,
  ...row,
  ...(decided_at && { decided_at }),
  ...(decided_by_user_id && { decided_by_user_id }),
  ...(reason && { reason }),
})

export function proposals(app: App, { actor, query }: Call<typeof consolidate.proposals>) {
  const { status = 'pending', crew_id } = query
  const window = { workspace: actor.workspace, crew: crew_id ?? null, ...pageOf(query, { fallback: 50, max: 100 }) }
  const { list, listOf, pending } = queries(app.db)
  const rows = status === 'all' ? list.all(window) : listOf.all({ ...window, status })
  return { proposals: rows.map(toProposal), count: rows.length, pending: pending.get(actor.workspace)!.count }
}

/** The file that rules approved now are appended to. */
const placeOf = ({ workspace_id, crew_id }: ProposalRow, now: string): Place => ({
  tier: 'crew',
  workspace_id,
  owner_id: crew_id,
  crew_id,
  name: canonicalName(now),
  path: `crew:${crew_id}/${canonicalName(now)}`,
})

/** What approving would append to that file now. */
function merged(app: App, { id }: ProposalRow, place: Place, now: string) {
  const size = queries(app.db).stagedBytes.get(id)
  if (!size) throw problem('staging_gone')
  if (size.bytes > stagingCap)
    throw problem('body_too_large', {
      detail: `The staged text has ${size.bytes} bytes, of ${stagingCap} at most`,
    })
  const file = readFile(app, place.owner_id, place.name)
  const before = file?.content ?? ''
  const body = mergeBody(queries(app.db).staged.get(id)!.content)
  return { before, exists: file !== undefined, added: addition(before, body, now) }
}

export function diff(
  app: App,
  { actor, proposalId, now }: Call<typeof consolidate.diff>,
): Reply<typeof consolidate.diff> {
  const row = find(app, actor.workspace, proposalId)
  const place = placeOf(row, now)
  const { before, exists, added } = merged(app, row, place, now)
  const told = appendDiff(before, added)
  return {
    proposal_id: row.id,
    workspace_id: row.workspace_id,
    crew_id: row.crew_id,
    status: row.status,
    canonical_path: place.path,
    canonical_exists: exists,
    proposal_path: row.proposal_path,
    rules_count: row.rules_count,
    diff: told.diff,
    stats: { additions: told.additions, deletions: 0, rules_appended: added ? row.rules_count : 0 },
  }
}

/** File, version, row, card and entries are one change. What may not be remembered leaves the proposal as it is. */
export function approve(app: App, { actor, proposalId, now }: Call<typeof consolidate.approve>) {
  const row = findPending(app, actor.workspace, proposalId, now)
  const place = placeOf(row, now)
  const { before, added } = merged(app, row, place, now)
  const written = store(app, place, `${before}${added}`, { actor: actorOf(actor), action: 'merge', now })
  if (written instanceof Problem) return written
  const details = { path: place.path }
  if (!settle(app, row.id, { state: 'decided', outcome: 'approved', actor, now, details }))
    throw problem('proposal_settled')
  return {
    proposal_id: row.id,
    canonical_path: place.path,
    rules_merged: row.rules_count,
    workspace_id: row.workspace_id,
    crew_id: row.crew_id,
    decided_by: actor.id,
    version_sha: written.sha256,
  }
}

export function reject(app: App, { actor, proposalId, body, now }: Call<typeof consolidate.reject>) {
  const reason = blankToNull(body?.reason) ?? ''
  if ([...reason].length > reasonLength)
    throw problem('invalid_field', { field: 'reason', detail: `reason has at most ${reasonLength} characters` })
  const row = findPending(app, actor.workspace, proposalId, now)
  settle(app, row.id, { state: 'decided', outcome: 'rejected', actor, now, comment: reason })
  return { proposal_id: row.id, status: 'rejected' as const, decided_by: actor.id, reason }
}

/** Removes the staged texts of a crew that is gone, and what is known of its pins. */
export function forgetCrew({ db }: App, crew: string): void {
  queries(db).unstage.run(crew)
  queries(db).unpin.run(crew)
}
