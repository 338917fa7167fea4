import { randomBytes } from 'node:crypto'
import type { consolidate as contract, LearnedRule } from '#contract/consolidate'
import { type Acting, fact, type Payload } from '#contract/entries'
import { type App, wholeSeconds } from '#kernel/app'
import { actorOf } from '#kernel/dispatch'
import { acting, type Happened } from '#kernel/facts'
import type { Call } from '#kernel/feature'
import { problem } from '#kernel/problem'
import { untilWritten } from '#kernel/store/until-written'
import { findCrew } from '../crews/service.ts'
import { takeUnhelpful } from '../memory/rules/service.ts'
import { NoAnswer } from '../models/asking/service.ts'
import { pin } from './pins.ts'
import { promote } from './promote.ts'
import { type CrewRow, queries } from './queries.ts'
import { proposeRemoval } from './service.ts'
import { sinceMs } from './since.ts'
import { type Summarizer, summarizerOf } from './summarizer.ts'
import { consolidate } from './worker.ts'

/** A run ends by itself after ten minutes, whatever is left. */
const longest = 600_000
const hour = 3_600_000
const keptDays = 90
/** How often workspaces that are due are looked for, in milliseconds. */
const ticks = 600_000

type Completed = Payload<'system.consolidation_completed'>
type Reason = Payload<'system.consolidation_triggered'>['reason']

interface Starting {
  workspace: string
  /** One crew; all unless given. */
  crew?: string | undefined
  since: number
  actor: Acting
  reason: 'manual' | 'scheduled'
}

const newWorkerId = (): string => `csd_${randomBytes(6).toString('hex')}`

const noSummarizer =
  'There is no model that could read the journal: add an API key of a provider, or the address of a model server of ' +
  'your own (muster credentials create)'

export function run(app: App, { actor, body }: Call<typeof contract.run>) {
  const { crew_id: crew, since } = body ?? {}
  if (crew) findCrew(app, actor.workspace, crew)
  const it = { workspace: actor.workspace, crew, since: sinceMs(since), actor: actorOf(actor) }
  const summarizer = summarizerOf(app, actor.workspace)
  if (!summarizer) {
    const worker = newWorkerId()
    triggered(app, { ...it, worker, reason: 'no-summarizer-skip' })
    completed(app, { ...it, worker }, { status: 'skipped-no-summarizer', crews_run: 0, rules_proposed: 0 })
    app.afterCommit(() => void pinAll(app, it.workspace, crew))
    return { accepted: true as const, note: noSummarizer }
  }
  const worker_id = start(app, summarizer, { ...it, reason: 'manual' })
  if (!worker_id) throw problem('consolidation_running')
  return { triggered: true as const, accepted: true as const, note: '', worker_id }
}

/** The worker of a new run, within a change; null where one of the workspace is running. */
function begin({ db, now, clock }: App, workspace_id: string, reason: Reason): string | null {
  const worker_id = newWorkerId()
  if (!queries(db).begin.get({ worker_id, workspace_id, reason, now: now() })) return null
  queries(db).forget.run(workspace_id, wholeSeconds(clock() - keptDays * 24 * hour))
  return worker_id
}

/** Begins a run, within a change; null where one of the workspace is running. */
function start(app: App, summarizer: Summarizer, it: Starting): string | null {
  const { workspace, reason } = it
  const worker = begin(app, workspace, reason)
  if (!worker) return null
  queries(app.db).beginWaiting.run({ workspace, crew: it.crew ?? null })
  triggered(app, { ...it, worker })
  app.afterCommit(() => void work(app, summarizer, { ...it, worker }))
  return worker
}

type Told = Pick<Starting, 'workspace' | 'actor'> & { worker: string }

const triggered = (app: App, { workspace, actor, worker, reason }: Told & { reason: Reason }) =>
  app.journal(
    fact('system.consolidation_triggered', { worker_id: worker, reason }, { workspace_id: workspace, ...actor }),
  )

function completed(
  app: App,
  { workspace, actor, worker }: Told,
  it: Omit<Completed, 'worker_id' | 'rules_appended'>,
): void {
  const payload = { worker_id: worker, ...it, rules_appended: 0 }
  app.journal(fact('system.consolidation_completed', payload, { workspace_id: workspace, ...actor }))
}

/** The live crews of a run: one, or all of the workspace. */
function crewsOf({ db }: App, workspace: string, crew: string | undefined): CrewRow[] {
  const { crew: one, crews } = queries(db)
  return crew ? [one.get(workspace, crew)].filter((row) => row !== undefined) : crews.all(workspace)
}

/** What is left of a run where there is no model: what people pinned is copied. */
async function pinAll(app: App, workspace: string, crew?: string): Promise<void> {
  try {
    for (const row of crewsOf(app, workspace, crew)) await pin(app, row)
  } catch (fault) {
    if (!app.stopping.signal.aborted) app.log.error({ err: fault, workspace_id: workspace }, 'Pins were not copied')
  }
}

async function work(app: App, summarizer: Summarizer, it: Starting & { worker: string }): Promise<void> {
  const { workspace, crew, since, worker } = it
  const signal = AbortSignal.any([app.stopping.signal, AbortSignal.timeout(longest)])
  const done = { crews_run: 0, rules_proposed: 0 }
  let status: Completed['status'] = 'ok'
  let error: string | undefined
  const all = crewsOf(app, workspace, crew)
  if (crew && !all.length) status = 'crew-not-found'
  for (const row of all) {
    try {
      if (signal.aborted) throw new NoAnswer('It took longer than ten minutes')
      // Before the model is asked, which may give no answer.
      await promote(app, row)
      const rules = await consolidate(app, row, { summarizer, since, signal })
      if (rules !== null) done.crews_run++
      done.rules_proposed += rules ?? 0
    } catch (fault) {
      if (app.stopping.signal.aborted) return
      status = fault instanceof NoAnswer ? 'failed' : 'enumerate-failed'
      error ??= fault instanceof NoAnswer ? fault.message : undefined
      if (!(fault instanceof NoAnswer)) app.log.error({ err: fault, crew_id: row.id }, 'A consolidation failed')
    }
  }
  await finish(app, it, { status, ...done, ...(error && { error }) }).catch((fault) => {
    if (!app.stopping.signal.aborted) app.log.error({ err: fault, worker_id: worker }, 'A consolidation did not end')
  })
}

const finish = (app: App, it: Told, how: Omit<Completed, 'worker_id' | 'rules_appended'>): Promise<void> =>
  untilWritten(app, () => {
    queries(app.db).end.run(app.now(), it.worker)
    completed(app, it, how)
    startWaiting(app, it.workspace, { actor_type: 'system' })
  })

/** Begins a run for entries that are to stay for ever and that no run was begun for; within a change. */
function startWaiting(app: App, workspace: string, actor: Acting): void {
  const crew = queries(app.db).unbegun.get(workspace)?.crew_id
  const summarizer = crew === undefined ? null : summarizerOf(app, workspace)
  if (summarizer) start(app, summarizer, { workspace, crew, since: sinceMs(undefined), actor, reason: 'manual' })
}

/** Somebody marked an entry that is to stay for ever: it is read at once, or after the run that goes on. */
export async function readPermanent(app: App, { about }: Happened<'memory.priority_changed'>): Promise<void> {
  const { workspace_id: workspace } = about
  if (workspace && queries(app.db).unbegun.get(workspace))
    await app.write(() => startWaiting(app, workspace, acting(about)))
}

/** Ends the runs that the end of the daemon cut short: each has a pair of entries. */
export function endInterrupted(app: App): void {
  for (const { worker_id: worker, workspace_id: workspace } of queries(app.db).unfinished.all()) {
    queries(app.db).end.run(app.now(), worker)
    const it = { workspace, worker, actor: { actor_type: 'system' as const } }
    completed(app, it, { status: 'interrupted', crews_run: 0, rules_proposed: 0 })
  }
}

/** Begins what is due; of workspaces without a model to ask only pins are copied. Returns how many were begun. */
export async function runDue(app: App): Promise<number> {
  const hours = app.config.consolidationHours
  if (hours === 0) return 0
  let begun = 0
  for (const { id: workspace } of queries(app.db).due.all(wholeSeconds(app.clock() - hours * hour))) {
    const summarizer = summarizerOf(app, workspace)
    if (!summarizer) {
      await app.write(() => passOver(app, workspace))
      await pinAll(app, workspace)
      continue
    }
    const it = { workspace, since: sinceMs(undefined), actor: { actor_type: 'system' }, reason: 'scheduled' } as const
    if (await app.write(() => start(app, summarizer, it))) begun++
  }
  return begun
}

/** Has a workspace be due again after the usual hours, as after a run. */
function passOver(app: App, workspace: string): void {
  const worker = begin(app, workspace, 'no-summarizer-skip')
  if (worker) queries(app.db).end.run(app.now(), worker)
}

/** Rules that are looked at together. */
const mostRules = 200

/** Asks people about rules that never helped; returns of how many. */
export function proposeRemovals(app: App): number {
  const now = app.now()
  let asked = 0
  for (const rows of takeUnhelpful(app, now, mostRules).values()) {
    const { workspace_id, crew_id, file } = rows[0]!
    const crew = queries(app.db).crew.get(workspace_id, crew_id)
    if (!crew) continue
    const rules = rows.map(({ id, rule_json }) => ({ ...(JSON.parse(rule_json) as LearnedRule), rule_id: id }))
    proposeRemoval(app, { crew, rules, file, actor: { actor_type: 'system' }, now })
    asked += rules.length
  }
  return asked
}

/** Reads the journals every few hours, and looks for rules that never helped. */
export function scheduleConsolidation(app: App): { close(): void } {
  let timer: NodeJS.Timeout | undefined
  let closed = false
  const wait = () => {
    if (!closed) timer = setTimeout(tick, ticks).unref()
  }
  async function tick(): Promise<void> {
    try {
      await runDue(app)
      await app.write(() => proposeRemovals(app))
    } catch (error) {
      app.log.error({ err: error }, 'Scheduled consolidations could not be begun')
    }
    wait()
  }
  untilWritten(app, () => endInterrupted(app)).then(wait, (error) => {
    if (!closed) app.log.error({ err: error }, 'Consolidations that were cut short could not be ended')
    wait()
  })
  return {
    close() {
      closed = true
      clearTimeout(timer)
    },
  }
}
