import type { TSchema } from 'typebox'
import { Value } from 'typebox/value'
import type { RoutineStep, StepOf, StepType } from '#contract/routine-definition'
import type { App } from '#kernel/app'
import { newId } from '#kernel/ids'
import type { BegunScript } from '#kernel/scripts'
import { timeAt } from '#kernel/time-at'
import { wake } from '#kernel/waiting'
import { endRun, giveUp, interrupt } from '../endings/service.ts'
import { resultOf } from '../steps/results.ts'
import { beginStep } from '../steps/service.ts'
import type { Outcome } from '../steps/types.ts'
import { isWanted } from '../steps/values.ts'
import { type Loaded, load, loadStep, valuesOf } from './loading.ts'
import { queries, type StepRow } from './queries.ts'
import { backoffOf, isRetried, type Loop, nextOf, nodesOfItem, type Placed, placeOf, triesOf } from './rules.ts'
import { tellInvalid, tellReady, tellStep } from './telling.ts'

/** Steps that one change carries out, so that others come in between. */
const burst = 64
/** Milliseconds after which a change carries out no more of them: expressions may take long. */
const changeMs = 50
/** Most characters of what a step gives, as JSON; an http step may say more itself. */
const outputLimit = 1_048_576
/** Steps whose work is done after the change in which they began. */
const called: readonly StepType[] = ['http', 'script', 'code']
/** Warnings that one run keeps. */
const mostWarnings = 20

/**
 * Does what a run needs next, within a change: begins steps whose turn has come, or ends the run. It looks at what is
 * stored alone, so that it may be called at any time and does nothing twice.
 */
export function advance(app: App, id: string): void {
  const loaded = load(app, id)
  if (!loaded) {
    const run = queries(app.db).run.get(id)
    if (run && run.ended_at === null) interrupt(app, run, 'The definition was changed while it ran')
    return
  }
  if (loaded.run.started_at === null) loaded.run.started_at = timeAt(app.clock())
  collect(app, loaded)
  const until = app.steady() + changeMs
  const late = () => app.steady() >= until
  let passed = 0
  let did = 1
  for (let done = 0; did > 0 && done < burst && !(done > 0 && late()); done += did) {
    checkCost(loaded)
    const next = nextOf(loaded.definition, loaded.steps, loaded.run.error_message !== null, passed)
    passed = next.passed
    for (const key of next.giveUp) loaded.steps.set(key, giveUp(app, loaded.run, loaded.steps.get(key)!))
    if (next.over) {
      endRun(app, loaded, next.over)
      return
    }
    for (const key of next.finish) finishLoop(app, loaded, key)
    did = next.finish.length + next.giveUp.length
    for (const placed of next.begin) {
      begin(app, loaded, placed)
      did++
      if (late()) break
    }
  }
  store(app, loaded)
  if (did > 0) app.afterCommit(() => app.bus.emit('routine', id))
}

/** Stores what steps have come to that wait for somebody else: an agent, another routine, a person. */
function collect(app: App, loaded: Loaded): void {
  for (const row of [...loaded.steps.values()]) {
    if (row.status !== 'running' && row.status !== 'waiting') continue
    const placed = placeOf(loaded.definition, row.key)
    const found = placed && resultOf(app, loaded.run, placed.step, row)
    if (!found) continue
    loaded.run.cost_usd += found.cost
    const cost_usd = found.cost ? (row.cost_usd ?? 0) + found.cost : row.cost_usd
    put(app, loaded, placed, { ...row, cost_usd }, found.outcome)
  }
}

/** A run that has cost what it may begins nothing more. */
function checkCost({ run, definition }: Loaded): void {
  const { max_cost_usd } = definition
  if (max_cost_usd === undefined || run.cost_usd < max_cost_usd || run.error_message !== null) return
  if (run.cost_usd === 0) return
  run.error_message = `It has cost $${run.cost_usd.toFixed(2)}, and may cost $${max_cost_usd.toFixed(2)}`
}

function store(app: App, { run, steps }: Loaded): void {
  let busy: StepRow | undefined
  let waiting: StepRow | undefined
  for (const step of steps.values()) {
    if ((step.status === 'running' && step.type !== 'foreach') || step.status === 'retrying') busy ??= step
    else if (step.status === 'waiting') waiting ??= step
  }
  const status = busy || !waiting ? 'running' : 'waiting'
  queries(app.db).updateRun.run({ ...run, status, current_step_id: (busy ?? waiting)?.key ?? null })
  if (status === 'waiting') wake(app, run.id)
}

/** Begins a step, or another attempt at it. */
function begin(app: App, loaded: Loaded, placed: Placed): void {
  const { run, definition } = loaded
  const { key, step } = placed
  const before = loaded.steps.get(key)
  const row: StepRow = {
    ...(before ?? { ...blank, id: newId(app.clock()), run_id: run.id, key, type: step.type }),
    status: 'running',
    attempt: (before?.attempt ?? 0) + 1,
    error_message: null,
    wake_at: null,
    ended_at: null,
    started_at: before?.started_at ?? timeAt(app.clock()),
  }
  let outcome: Outcome | 'skipped'
  try {
    const values = valuesOf(loaded, placed)
    const wanted = (one: string, condition: string | undefined) =>
      isWanted(condition, values, (flaw) => warn(loaded, `The condition of ${one} counts as false: ${flaw}`))
    const hasOwner = !placed.of || belongs(loaded, placed.of, wanted)
    outcome =
      hasOwner && wanted(key, step.if)
        ? beginStep({
            app,
            run,
            definition,
            step,
            id: row.id,
            key,
            attempt: row.attempt,
            values,
            before,
            warn: (words) => warn(loaded, `${key}: ${words}`),
          })
        : 'skipped'
  } catch (error) {
    outcome = { status: 'failed', error: (error as Error).message }
  }
  put(app, loaded, placed, row, outcome)
  if (called.includes(step.type) && loaded.steps.get(key)!.status === 'running')
    app.afterCommit(() => app.bus.emit('call', row.id))
}

/** Whether the step to which a hook belongs is done, or is to be done. */
function belongs(
  { steps }: Loaded,
  { id, if: condition }: RoutineStep,
  wanted: (key: string, condition: string | undefined) => boolean,
): boolean {
  const owner = steps.get(id)
  return owner ? owner.status !== 'skipped' : wanted(id, condition)
}

function warn({ run }: Loaded, words: string): void {
  const all = JSON.parse(run.warnings_json) as string[]
  if (all.length < mostWarnings) run.warnings_json = JSON.stringify([...all, words])
}

const blank = {
  output_json: null,
  error_message: null,
  waitpoint_id: null,
  agent_run_id: null,
  child_run_id: null,
  event_type: null,
  state_json: null,
  cost_usd: null,
  wake_at: null,
  ended_at: null,
  duration_ms: null,
} satisfies Partial<StepRow>

/** Stores what a step has come to. */
export function put(
  app: App,
  loaded: Loaded,
  { key, step, loop }: Placed,
  before: StepRow,
  given: Outcome | 'skipped',
): void {
  const outcome =
    given === 'skipped' || given.status !== 'completed' ? given : valid(app, loaded.run, { key, step }, given)
  const now = app.clock()
  const ended = {
    wake_at: null,
    event_type: null,
    ended_at: timeAt(now),
    duration_ms: now - Date.parse(before.started_at),
  }
  let row: StepRow
  if (outcome === 'skipped') row = { ...before, ...ended, status: 'skipped' }
  else if (outcome.status === 'completed')
    row = {
      ...before,
      ...ended,
      status: 'completed',
      output_json: JSON.stringify(outcome.output ?? null),
      state_json: outcome.state ?? (step.type === 'foreach' ? before.state_json : null),
    }
  else if (outcome.status === 'failed')
    row = afterFailure(app, step, { ...before, error_message: outcome.error }, ended, outcome.final)
  else row = { ...before, ...outcome.keeps, status: outcome.status }
  queries(app.db).putStep.run(row)
  loaded.steps.set(key, row)
  loaded.outputs.delete(key)
  if (row.wake_at) wakeAt(app, row.wake_at)
  tellStep(app, loaded.run, row)
  if (row.status === 'failed' && step.on_fail !== 'continue') noteFailure(app, loaded, row, loop?.key)
}

export const wakeAt = (app: App, at: string): void => app.afterCommit(() => app.bus.emit('wake', at))

/** The first failure of a run is why it fails. A step within a loop takes the loop with it. */
function noteFailure(app: App, loaded: Loaded, row: StepRow, loop: string | undefined): void {
  const { run } = loaded
  const inLoop = loop === undefined ? undefined : loaded.steps.get(loop)
  const place = inLoop && loaded.definition.steps.find(({ id }) => id === loop)
  if (inLoop && place && inLoop.status === 'running') {
    for (const step of loaded.steps.values())
      if (step.key.startsWith(`${loop}[`) && ['running', 'waiting', 'retrying'].includes(step.status))
        loaded.steps.set(step.key, giveUp(app, run, step))
    const error = `${row.key}: ${row.error_message}`
    put(app, loaded, { key: loop!, step: place, phase: 'main', needs: [] }, inLoop, {
      status: 'failed',
      error,
      final: true,
    })
    return
  }
  const hooks = loaded.definition.hooks?.on_failure ?? []
  if (run.failed_at_step !== null || hooks.some(({ id }) => id === row.key)) return
  run.failed_at_step = row.key
  run.error_message ??= row.error_message
}

type EndOf = Pick<StepRow, 'wake_at' | 'event_type' | 'ended_at' | 'duration_ms'>

/** A step that failed is tried again, unless it was tried as often as it may be. */
function afterFailure(app: App, step: RoutineStep, row: StepRow, ended: EndOf, final: boolean | undefined): StepRow {
  if (final || row.attempt >= triesOf(step) || !isRetried(step, row.error_message ?? ''))
    return { ...row, ...ended, status: 'failed' }
  const wake_at = timeAt(app.clock() + backoffOf(step, row.attempt, Math.random()))
  return { ...row, status: 'retrying', wake_at, waitpoint_id: null, agent_run_id: null, child_run_id: null }
}

/** A result that a step's own rules refuse counts as its failure. */
function valid(
  app: App,
  run: Loaded['run'],
  { key, step }: Pick<Placed, 'key' | 'step'>,
  outcome: Outcome & { status: 'completed' },
): Outcome {
  const json = JSON.stringify(outcome.output ?? null)
  const most = step.type === 'http' ? Math.max(outputLimit, 2 * (step.http.max_response_bytes ?? 0)) : outputLimit
  if (json.length > most)
    return { status: 'failed', error: `It gave more than ${most} characters, which is too much`, final: true }
  const flaw = flawOf(step, outcome.output)
  if (flaw === null) return { ...outcome, output: app.scrub(scope(run), [])(outcome.output) }
  tellInvalid(app, run, { key, type: step.type }, flaw)
  return { status: 'failed', error: flaw }
}

const scope = ({ workspace_id }: { workspace_id: string }) => ({ workspace_id, agent_id: '' })

function flawOf({ validation }: RoutineStep, output: unknown): string | null {
  if (!validation) return null
  const text = typeof output === 'string' ? output : JSON.stringify(output ?? null)
  const { schema, must_contain = [], must_not_contain = [], min_length = 0, max_length } = validation
  const missing = must_contain.find((it) => !text.includes(it))
  if (missing !== undefined) return `The result does not contain "${missing}"`
  const found = must_not_contain.find((it) => text.includes(it))
  if (found !== undefined) return `The result contains "${found}"`
  if (text.length < min_length) return `The result has ${text.length} characters; at least ${min_length} are asked for`
  if (max_length !== undefined && text.length > max_length)
    return `The result has ${text.length} characters; at most ${max_length} are asked for`
  if (!schema) return null
  // Looked at as it stands: a schema of theirs is never made into code.
  if (Value.Check(schema as TSchema, output)) return null
  const [first] = Value.Errors(schema as TSchema, output) as unknown as { instancePath: string; message: string }[]
  return `The result does not fit its schema: ${first?.instancePath ?? ''} ${first?.message ?? ''}`.trimEnd()
}

/** A loop whose items are all done gives what the last step of each gave. */
function finishLoop(app: App, loaded: Loaded, key: string): void {
  const row = loaded.steps.get(key)!
  const step = loaded.definition.steps.find(({ id }) => id === key) as StepOf<'foreach'>
  const { items } = JSON.parse(row.state_json!) as Loop
  const output = items.map((_, index) => {
    const last = nodesOfItem(key, step, index).at(-1)!
    const json = loaded.steps.get(last.key)?.output_json
    return json ? (JSON.parse(json) as unknown) : null
  })
  put(app, loaded, { key, step, phase: 'main', needs: [] }, row, { status: 'completed', output })
}

/** Stores that a step's script begins, unless the step is over. */
export function keepScript(app: App, step: StepRow, begun: BegunScript): boolean {
  const found = loadStep(app, step)
  if (found?.row.status !== 'running' || found.row.attempt !== step.attempt) return false
  queries(app.db).putStep.run({ ...found.row, state_json: JSON.stringify(begun) })
  tellReady(app, found.loaded.run, found.row)
  return true
}

/** Stores the outcome of a step that worked or waited, unless it is over. The run is to be advanced afterwards. */
export function settleStep(app: App, step: StepRow, outcome: Outcome): void {
  const found = loadStep(app, step)
  if (!found || (found.row.status !== 'running' && found.row.status !== 'waiting')) return
  put(app, found.loaded, found.placed, found.row, outcome)
  store(app, found.loaded)
}

/** Begins a step once more after its pause. */
export function retryStep(app: App, step: StepRow): void {
  const found = loadStep(app, step)
  if (found?.row.status !== 'retrying') return
  begin(app, found.loaded, found.placed)
  store(app, found.loaded)
}
