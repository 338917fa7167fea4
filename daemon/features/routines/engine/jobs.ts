import type { RoutineStep } from '#contract/routine-definition'
import type { App } from '#kernel/app'
import { forgetDaily } from '#kernel/jobs/daily'
import { pause, timerAt } from '#kernel/jobs/due'
import type { BegunScript } from '#kernel/scripts'
import { untilWritten } from '#kernel/store/until-written'
import { timeAt } from '#kernel/time-at'
import { interrupt } from '../endings/service.ts'
import { queries as keys } from '../starting/queries.ts'
import { wakeAgentRun } from '../steps/agents.ts'
import { callCode } from '../steps/code.ts'
import { callHttp } from '../steps/http.ts'
import { callScript } from '../steps/scripts.ts'
import { completed, failed, type Outcome } from '../steps/types.ts'
import { loadStep, valuesOf } from './loading.ts'
import { queries, type RunRow, type StepRow } from './queries.ts'
import { triesOf } from './rules.ts'
import { advance, keepScript, retryStep, settleStep } from './service.ts'
import { tellResumed } from './telling.ts'

/** Steps whose pause is over that one change looks at. */
const batch = 100

/**
 * Drives runs while the daemon runs. All that it knows stands in the database: waiting runs have no worker, only the
 * next time at which something is due.
 */
export function driveRoutines(app: App): { close(): void } {
  const busy = new Map<string, boolean>()
  const calls = new Map<string, AbortController>()
  const closing = new AbortController()
  let timer: NodeJS.Timeout | undefined
  let armed = Number.POSITIVE_INFINITY
  let closed = false

  /** Advances a run; once more when something came in meanwhile. */
  async function drive(id: string): Promise<void> {
    if (closed) return
    if (busy.has(id)) return void busy.set(id, true)
    do {
      busy.set(id, false)
      await attempt(id, () => untilWritten(app, () => advance(app, id)))
    } while (busy.get(id) && !closed)
    busy.delete(id)
  }

  /** A run that cannot be advanced ends, so that it does not stand still unseen. */
  async function attempt(id: string, work: () => Promise<unknown>): Promise<void> {
    try {
      await work()
    } catch (error) {
      if (closed || app.stopping.signal.aborted) return
      app.log.error({ err: error, run_id: id }, 'A run of a routine could not go on')
      await untilWritten(app, () => {
        const run = queries(app.db).run.get(id)
        if (run && run.ended_at === null) interrupt(app, run, 'Muster could not go on with it')
      }).catch(() => undefined)
    }
  }

  function wait(at: string): void {
    const ms = Date.parse(at)
    if (closed || ms >= armed) return
    clearTimeout(timer)
    armed = ms
    timer = timerAt(app, ms, sweep)
  }

  async function sweep(): Promise<void> {
    armed = Number.POSITIVE_INFINITY
    try {
      for (let due = dueSteps(); due.length && !closed; due = dueSteps()) {
        await untilWritten(app, () => wakeAll(app, due))
        await Promise.all([...new Set(due.map(({ run_id }) => run_id))].map(drive))
        if (due.length < batch) break
      }
    } catch (error) {
      if (!closed) app.log.error({ err: error }, 'Steps of routines could not be woken')
      return wait(timeAt(app.clock() + pause))
    }
    const next = closed ? undefined : queries(app.db).nextWake.get()
    if (next?.wake_at) wait(next.wake_at)
  }

  const dueSteps = () => queries(app.db).due.all(timeAt(app.clock()), batch)

  /** Does what a step asks of the outside, and stores what came of it. */
  async function call(stepId: string): Promise<void> {
    const step = queries(app.db).step.get(stepId)
    const found = step && loadStep(app, step)
    if (found?.row.status !== 'running') return
    const { loaded, placed, row } = found
    const { run, definition } = loaded
    const { id, key, attempt } = row
    const begun = { app, run, definition, id, key, attempt, values: valuesOf(loaded, placed), before: row }
    const aborting = new AbortController()
    calls.set(stepId, aborting)
    if (placed.step.type === 'http') await request({ ...begun, step: placed.step }, row, aborting.signal)
    else if (placed.step.type === 'code') await reckon({ ...begun, step: placed.step }, row)
    else if (placed.step.type === 'script') await script({ ...begun, step: placed.step }, row, aborting.signal)
    if (calls.get(stepId) === aborting) calls.delete(stepId)
  }

  async function settle(row: StepRow, outcome: Outcome): Promise<void> {
    await attempt(row.run_id, () => untilWritten(app, () => settleStep(app, row, outcome)))
    void drive(row.run_id)
  }

  async function request(it: Parameters<typeof callHttp>[0], row: StepRow, given: AbortSignal): Promise<void> {
    const outcome = await callHttp(it, AbortSignal.any([given, closing.signal, app.stopping.signal])).catch(
      (error: Error): Outcome => failed(`The request could not be made: ${error.message}`, true),
    )
    // Whoever stops in the middle of it does not know what it did: the next start says so.
    if (!closed && !app.stopping.signal.aborted) await settle(row, outcome)
  }

  async function reckon(it: Parameters<typeof callCode>[0], row: StepRow): Promise<void> {
    const outcome = await callCode(it)
    // The next start begins with it anew.
    if (!closed && !app.stopping.signal.aborted) await settle(row, outcome)
  }

  /** Runs the script of a step; one that a daemon before this one began is found again. */
  async function script(it: Parameters<typeof callScript>[0], row: StepRow, given: AbortSignal): Promise<void> {
    await callScript(it, {
      begun: row.state_json === null ? null : (JSON.parse(row.state_json) as BegunScript),
      begins: (begun) => untilWritten(app, () => keepScript(app, row, begun)),
      ended: (outcome) => settle(row, outcome),
      cancelled: given,
      detached: AbortSignal.any([closing.signal, app.stopping.signal]),
    }).catch((error: Error) => {
      if (!closed && !app.stopping.signal.aborted) return settle(row, failed(error.message, true))
    })
  }

  const hears = {
    routine: (id: string) => void drive(id),
    wake: wait,
    call: (id: string) => void call(id),
    called: (id: string) => calls.get(id)?.abort(),
  }
  for (const [name, hear] of Object.entries(hears)) app.bus.on(name as 'routine', hear)
  // What scripts run in is made after the jobs.
  const resuming = setImmediate(() => void resume(app, drive, call).then(sweep))
  return {
    close() {
      closed = true
      clearTimeout(timer)
      clearImmediate(resuming)
      for (const [name, hear] of Object.entries(hears)) app.bus.off(name as 'routine', hear)
      closing.abort()
    },
  }
}

/** Goes on with what was at work when the daemon stopped. */
async function resume(app: App, drive: Drive, call: Drive): Promise<void> {
  const { working, decided, called, run } = queries(app.db)
  for (const { id } of called.all()) void call(id)
  const open = [...working.all(), ...decided.all()].map(({ id }) => run.get(id)!)
  for (const { id } of open) {
    const cut = queries(app.db)
      .steps.all(id)
      .filter(({ type, status }) => type === 'http' && status === 'running')
    if (cut.length) await untilWritten(app, () => cutAll(app, cut)).catch(() => undefined)
    await drive(id)
  }
  if (open.length) await untilWritten(app, () => tellResumed(app, open)).catch(() => undefined)
}

type Drive = (id: string) => Promise<void>

function cutAll(app: App, steps: readonly StepRow[]): void {
  for (const step of steps) cutOff(app, step)
}

/** A request that was going out when the daemon stopped is made again only if the step says that it may be. */
function cutOff(app: App, step: StepRow): void {
  const found = loadStep(app, step)
  const again = found !== null && triesOf(found.placed.step) > 1
  const error = 'Muster stopped during the request; whether it took effect is not known'
  settleStep(app, step, failed(error, again ? undefined : true))
}

function wakeAll(app: App, steps: readonly StepRow[]): void {
  for (const step of steps) wakeStep(app, step)
}

/** Goes on with a step whose pause or whose time is over. */
function wakeStep(app: App, step: StepRow): void {
  const found = loadStep(app, step)
  const now = timeAt(app.clock())
  if (!found?.row.wake_at || found.row.wake_at > now) return
  const { loaded, placed, row } = found
  if (row.status === 'retrying') retryStep(app, row)
  else settleStep(app, row, afterWake(app, loaded.run, placed.step, row))
}

function afterWake(app: App, run: RunRow, step: RoutineStep, row: StepRow): Outcome {
  if (step.type === 'agent_run') return wakeAgentRun(app, run, step, row)
  const isTime = step.type === 'wait' && step.wait.kind === 'datetime'
  return isTime ? completed(timeAt(app.clock())) : failed('The event did not come in time', true)
}

export const forgetKeys = (app: App) =>
  forgetDaily(
    app,
    'Old idempotency keys of routines',
    (most) => keys(app.db).forget.run(timeAt(app.clock()), most).changes,
  )
