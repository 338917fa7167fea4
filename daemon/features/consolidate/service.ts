import { randomBytes } from 'node:crypto'
import { type consolidate, type LearnedRule, reasonLength, stagingCap } from '#contract/consolidate'
import type { Reply } from '#contract/define'
import { type Acting, fact } from '#contract/entries'
import { unhelpfulDays } from '#contract/memory-rules'
import type { App } from '#kernel/app'
import { actorOf } from '#kernel/dispatch'
import type { Call } from '#kernel/feature'
import { blankToNull, pageOf } from '#kernel/http/fields'
import { Problem, problem } from '#kernel/problem'
import { quotedLines } from '#kernel/quoted-lines'
import { isOpen, open, settle } from '../decisions/service.ts'
import { noteLearned, noteRemoved } from '../memory/rules/service.ts'
import { type Place, readFile, shaOf, store } from '../memory/service.ts'
import { proposal } from './kind.ts'
import { type ProposalRow, queries } from './queries.ts'
import { addition, appendDiff, canonicalName, fileDiff, mergeBody, stagingText, without } from './texts.ts'

interface Asking {
  crew: { id: string; workspace_id: string; slug: string; name: string }
  rules: readonly LearnedRule[]
  actor: Acting
  now: string
}

interface Proposing extends Asking {
  entriesScanned: number
  model: string
}

/** A run by its time, so that proposals sort as they were made. */
const newRunId = (now: string): string => `${now.slice(0, 19).replace(/\D/g, '')}-${randomBytes(8).toString('hex')}`

/** Puts rules before people: row, staged text, card and entry in one change. Returns the id. */
export function propose(app: App, it: Proposing): string {
  const { rules, entriesScanned: entries_scanned, model } = it
  const many = count(rules)
  return put(app, it, {
    kind: 'learned',
    file: null,
    evidence_json: JSON.stringify(rules),
    entries_scanned,
    model,
    asked: `What crew ${it.crew.slug} is to remember`,
    title: `${it.crew.name}: ${many} to remember`,
    body: cardText(rules, entries_scanned, model),
    staged: stagingText,
  })
}

/** A rule as it is proposed for removal. */
type Unhelpful = LearnedRule & { rule_id: string }

/** Asks people whether rules that never helped are taken out of a file again. */
export function proposeRemoval(app: App, it: Asking & { rules: readonly Unhelpful[]; file: string }): string {
  const { crew, rules, file } = it
  const head =
    `No run that was given them in the last ${unhelpfulDays} days came to its end by itself, or none was given them. ` +
    `Approving takes them out of \`${file}\`.`
  return put(app, it, {
    kind: 'removal',
    file,
    evidence_json: JSON.stringify(rules),
    entries_scanned: 0,
    model: '',
    asked: `What crew ${crew.slug} is to forget`,
    title: `${crew.name}: ${count(rules)} that never helped`,
    body: [head, ...rules.map(({ pattern, action }) => quotedLines(`${pattern}\n→ ${action}`))].join('\n\n'),
    staged: (id, now, these) => stagingText(id, now, these, `# Proposed to be taken out of ${file}`),
  })
}

const count = ({ length }: readonly unknown[]) => (length === 1 ? 'one rule' : `${length} rules`)

type Put = Pick<ProposalRow, 'kind' | 'file' | 'evidence_json' | 'entries_scanned' | 'model'> & {
  asked: string
  title: string
  body: string
  staged(id: string, now: string, rules: readonly LearnedRule[]): string
}

function put(app: App, { crew, rules, actor, now }: Asking, it: Put): string {
  const { asked, title, body, staged, ...row } = it
  const { entries_scanned, model, kind } = row
  const run = newRunId(now)
  const id = `mp_${run}`
  const proposal_path = `crew:${crew.id}/topics/.proposed/proposal-${run}.md`
  const told = { proposal_id: id, proposal_path, rules_count: rules.length, entries_scanned }
  const { workspace_id } = crew
  queries(app.db).insert.run({
    ...row,
    id,
    workspace_id,
    crew_id: crew.id,
    proposal_path,
    rules_count: rules.length,
    created_at: now,
  })
  queries(app.db).stage.run(id, staged(id, now, rules))
  const sender = { type: 'crew', id: crew.id, name: crew.name } as const
  const shown = { priority: 'medium', blocking: false, attention: 'review', payload: () => told } as const
  const card = { title, body, sender, ...shown }
  open(app, proposal, { id, workspace: workspace_id, asked, crew: crew.id, card, now })
  const source_entry_ids = [...new Set(rules.flatMap(({ evidence }) => evidence))]
  const about = { workspace_id, crew_id: crew.id, ...actor, refs: { source_entry_ids } }
  app.journal(fact('memory.consolidation_proposed', { ...told, model, ...(kind === 'removal' && { kind }) }, about))
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

export function toProposal({ id, evidence_json: _rules, file: _file, ...row }: ProposalRow) {
  const { decided_at, decided_by_user_id, reason, ...about } = row
  return {
    proposal_id: id,
    ...about,
    ...(decided_at && { decided_at }),
    ...(decided_by_user_id && { decided_by_user_id }),
    ...(reason && { reason }),
  }
}

export function proposals(app: App, { actor, query }: Call<typeof consolidate.proposals>) {
  const { status = 'pending', crew_id } = query
  const window = { workspace: actor.workspace, crew: crew_id ?? null, ...pageOf(query, { fallback: 50, max: 100 }) }
  const { list, listOf, pending } = queries(app.db)
  const rows = status === 'all' ? list.all(window) : listOf.all({ ...window, status })
  return { proposals: rows.map(toProposal), count: rows.length, pending: pending.get(actor.workspace)!.count }
}

/** The file that approving changes. */
function placeOf({ workspace_id, crew_id, file }: ProposalRow, now: string): Place {
  const name = file ?? canonicalName(now)
  return { tier: 'crew', workspace_id, owner_id: crew_id, crew_id, name, path: `crew:${crew_id}/${name}` }
}

const rulesOf = ({ evidence_json }: ProposalRow) => JSON.parse(evidence_json) as Unhelpful[]

/** What approving would make of that file now. */
function merged(app: App, row: ProposalRow, place: Place, now: string) {
  const size = queries(app.db).stagedBytes.get(row.id)
  if (!size) throw problem('staging_gone')
  if (size.bytes > stagingCap)
    throw problem('body_too_large', { detail: `The staged text has ${size.bytes} bytes, of ${stagingCap} at most` })
  const file = readFile(app, place.owner_id, place.name)
  const before = file?.content ?? ''
  const exists = file !== undefined
  if (row.kind === 'removal') {
    const after = without(before, rulesOf(row))
    return { before, exists, after, told: fileDiff(before, after) }
  }
  const added = addition(before, mergeBody(queries(app.db).staged.get(row.id)!.content), now)
  return { before, exists, after: `${before}${added}`, told: { ...appendDiff(before, added), deletions: 0 } }
}

export function diff(
  app: App,
  { actor, proposalId, now }: Call<typeof consolidate.diff>,
): Reply<typeof consolidate.diff> {
  const row = find(app, actor.workspace, proposalId)
  const place = placeOf(row, now)
  const { exists, told } = merged(app, row, place, now)
  const { additions, deletions } = told
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
    stats: { additions, deletions, rules_appended: row.kind === 'learned' && additions ? row.rules_count : 0 },
  }
}

/** File, version, row, card and entries are one change. What may not be remembered leaves the proposal as it is. */
export function approve(app: App, { actor, proposalId, now }: Call<typeof consolidate.approve>) {
  const row = findPending(app, actor.workspace, proposalId, now)
  const place = placeOf(row, now)
  const { before, after } = merged(app, row, place, now)
  // A file that somebody removed or emptied of these rules meanwhile stays as it is.
  const action = row.kind === 'removal' ? 'unlearn' : 'merge'
  const written = after === before ? null : store(app, place, after, { actor: actorOf(actor), action, now })
  if (written instanceof Problem) return written
  const rules = rulesOf(row)
  if (row.kind === 'learned') noteLearned(app, { ...about(row), file: place.name, rules, now })
  else
    noteRemoved(
      app,
      row.crew_id,
      rules.map(({ rule_id }) => rule_id),
      now,
    )
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
    version_sha: written?.sha256 ?? shaOf(after),
  }
}

const about = ({ workspace_id, crew_id, id }: ProposalRow) => ({ workspace_id, crew_id, proposal_id: id })

export function reject(app: App, { actor, proposalId, body, now }: Call<typeof consolidate.reject>) {
  const reason = blankToNull(body?.reason) ?? ''
  if ([...reason].length > reasonLength)
    throw problem('invalid_field', { field: 'reason', detail: `reason has at most ${reasonLength} characters` })
  const row = findPending(app, actor.workspace, proposalId, now)
  settle(app, row.id, { state: 'decided', outcome: 'rejected', actor, now, comment: reason })
  return { proposal_id: row.id, status: 'rejected' as const, decided_by: actor.id, reason }
}

/** Removes the staged texts of a crew that is gone, and what is known of its pins and of entries that wait. */
export function forgetCrew({ db }: App, crew: string): void {
  queries(db).unstage.run(crew)
  queries(db).unpin.run(crew)
  queries(db).unnoteCrew.run(crew)
}
