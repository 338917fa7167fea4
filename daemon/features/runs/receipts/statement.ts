import type { App } from '#kernel/app'
import { installationId } from '#kernel/store/installation'
import { timeAt } from '#kernel/time-at'
import { version } from '#kernel/version'
import { anchorOf } from '../../journal/service.ts'
import { ancestorsOf } from '../chains/service.ts'
import type { Run } from '../queries.ts'
import { type Details, type NamedRow, reads } from '../records/queries.ts'
import { entryOf } from '../rules.ts'
import { type Decided, type Place, type Program, queries } from './queries.ts'
import { type LeftFiles, type SaidHashes, sha256, subjectsOf } from './rules.ts'

export const predicateType = 'urn:muster:run-receipt:v1'

interface Remains {
  said: SaidHashes
  files: LeftFiles
}

/** The statement of a receipt. It holds hashes of what was said, and nothing of the words. */
export function statementOf(app: App, run: Run, { said, files }: Remains, now: string) {
  const record = reads(app.db).find.get(run.workspace_id, run.id)!
  const { files: listed, ...left } = files
  return {
    _type: 'https://in-toto.io/Statement/v1',
    subject: subjectsOf(run.id, said, files),
    predicateType,
    predicate: {
      issued_at: now,
      issuer: { installation: installationId(app.db), muster: version },
      run: runOf(run, record),
      requested_by: personOf(app, run.triggered_by),
      agent: {
        id: run.agent_id,
        name: run.agent_name,
        slug: run.agent_slug,
        crew_id: run.crew_id,
        crew_slug: queries(app.db).crew.get(run.crew_id)?.slug ?? null,
      },
      delegated_by: chainOf(app, run),
      programs: queries(app.db).programs.all(run.id).map(programOf),
      client: clientOf(record),
      usage: usageOf(record),
      said,
      files: { ...left, listed: listed.length },
      decisions: decisionsOf(app, run).map(decisionOf),
      journal: journalOf(app, run, record, now),
    },
  }
}

/** What people were asked in a run, and whether it might begin. */
export const decisionsOf = ({ db }: App, { workspace_id, id }: Run): Decided[] =>
  queries(db).decisions.all({ workspace: workspace_id, run: id })

const runOf = (run: Run, { started, finished }: NamedRow) => ({
  id: run.id,
  workspace_id: run.workspace_id,
  trigger_type: run.trigger_type,
  source: run.source,
  status: run.outcome,
  started_at: timeAt(started),
  finished_at: finished === null ? null : timeAt(finished),
})

/** A person by id and name; null for nobody. */
export const personOf = ({ db }: App, id: string | null) =>
  id === null ? null : { id, name: queries(db).user.get(id)?.name ?? null }

/** The runs from which it hangs, the nearest first. */
const chainOf = (app: App, run: Run) =>
  ancestorsOf(app, run)
    .slice(1)
    .map(({ id, agent_id, agent_slug, trigger_type, triggered_by }) => ({
      run_id: id,
      agent_id,
      agent_slug,
      trigger_type,
      requested_by: personOf(app, triggered_by),
    }))

const programOf = (it: Program) => ({
  started_at: timeAt(it.started_at),
  adapter: it.adapter,
  provider: it.provider,
  model: it.model,
  prompt_sha256: it.prompt_hash,
  instructions_sha256: it.instructions_hash,
  image: it.image_id === null ? null : { name: it.image, id: it.image_id },
})

/** What the agent's client said of itself. */
function clientOf({ details, exit_code }: NamedRow) {
  const { model, cli_version } = JSON.parse(details) as Details
  return { version: cli_version ?? null, model: model ?? null, exit_code }
}

const usageOf = (it: NamedRow) => ({
  input_tokens: it.input_tokens,
  output_tokens: it.output_tokens,
  cache_read_tokens: it.cache_read_tokens,
  cache_write_tokens: it.cache_write_tokens,
  reasoning_tokens: it.reasoning_tokens,
  cost_usd: it.cost_usd,
  cost_source: it.cost_source,
})

const decisionOf = (it: Decided) => ({
  id: it.id,
  kind: it.kind,
  asked_sha256: sha256(it.asked),
  asked_at: it.created_at,
  state: it.state,
  outcome: it.outcome,
  settled_at: it.settled_at,
  settled_by: it.settled_by === null ? null : { id: it.settled_by, name: it.settled_name },
})

/** Where the run stands in the journal, and how far the journal had come. */
function journalOf(app: App, run: Run, { seq }: NamedRow, now: string) {
  const { entries, head, anchor } = anchorOf(app, run.workspace_id, now)
  const last = lastEntryOf(app, run)
  return {
    first: placeOf(queries(app.db).entry.get(seq)!),
    last: last ? placeOf(last) : null,
    head: { entries, ...head, anchor },
  }
}

/** The journal's entry of a run's end; undefined while it goes on. */
export function lastEntryOf(app: App, run: Run): Place | undefined {
  if (run.outcome === null) return undefined
  const ws = app.index.names.find(0, run.workspace_id) ?? 0
  const [trace, type] = [run.id, entryOf[run.outcome]].map((text) => app.index.names.find(ws, text) ?? 0)
  return queries(app.db).entryOf.get(trace!, type!)
}

const placeOf = ({ seq, id, entry_hash }: Place) => ({ seq, id, hash: entry_hash.toString('hex') })
