import type { StepOf } from '#contract/routine-definition'
import { mostItems } from '#contract/routine-definition'
import { render, renderValue } from '#kernel/templates'
import { timeAt } from '#kernel/time-at'
import { transform } from '../definitions/transforms.ts'
import { queries } from '../engine/queries.ts'
import { type Beginning, completed, failed, type Outcome } from './types.ts'
import { fromJson } from './values.ts'

/** A step that only takes something out of a value. */
export const beginTransform = ({ step, values }: Beginning<StepOf<'transform'>>): Outcome =>
  completed(transform(step.transform.expression)(renderValue(step.transform.input, values)))

/** A loop: its items are what the steps within it are done for. */
export function beginForeach({ step, values }: Beginning<StepOf<'foreach'>>): Outcome {
  const given = renderValue(step.foreach.items, values)
  const items = typeof given === 'string' ? fromJson(given) : given
  if (!Array.isArray(items)) return failed('The items of a foreach must be a list', true)
  if (items.length > mostItems) return failed(`A foreach has at most ${mostItems} items, not ${items.length}`, true)
  return items.length
    ? { status: 'running', keeps: { state_json: JSON.stringify({ items }) } }
    : { ...completed([]), state: '{"items":[]}' }
}

/** Seconds that a wait takes, unless the step says how many. */
const eventSeconds = 3600
/** A time that is further away is most likely a mistake. */
const longestWait = 366 * 86_400_000

export function beginWaitForTime({ app, step, values }: Beginning<StepOf<'wait'>>): Outcome {
  const text = render(step.wait.until ?? '', values)
  const at = Date.parse(text)
  if (Number.isNaN(at)) return failed(`"${text}" is no time such as 2026-12-24T08:00:00Z`, true)
  if (at - app.clock() > longestWait) return failed(`${text} is more than a year from now`, true)
  return { status: 'waiting', keeps: { wake_at: timeAt(at) } }
}

/** An event that came before the run waited for it is there at once. */
export function beginWaitForEvent({ app, run, step }: Beginning<StepOf<'wait'>>): Outcome {
  const event_type = step.wait.event_type!
  const kept = queries(app.db).takeSignal.get(run.id, event_type)
  if (kept) return completed(JSON.parse(kept.payload_json))
  const wake_at = timeAt(app.clock() + (step.timeout_seconds ?? eventSeconds) * 1000)
  return { status: 'waiting', keeps: { event_type, wake_at } }
}
