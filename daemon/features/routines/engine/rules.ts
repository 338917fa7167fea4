import {
  modelTiers,
  mostAtOnce,
  type RoutineDefinition,
  type RoutineStep,
  type StepOf,
} from '#contract/routine-definition'
import { type Node, nodesOf } from '../definitions/plan.ts'
import type { StepRow } from './queries.ts'

/** What is known of a step. */
export type State = Pick<StepRow, 'key' | 'status' | 'state_json'>

/** What a run needs next. */
export interface Next {
  /** Steps that begin now. */
  begin: Placed[]
  /** Loops whose items are all done. */
  finish: string[]
  /** Steps that are to be given up, since the run has failed. */
  giveUp: string[]
  over: 'completed' | 'failed' | null
  /** Steps at the beginning of the definition that are done. */
  passed: number
}

/** A step with its place in a loop. */
export interface Placed extends Node {
  loop?: { key: string; index: number; as: string }
}

export interface Loop {
  items: unknown[]
}

const atWork = (status: State['status']) => status === 'running' || status === 'waiting' || status === 'retrying'

/** The steps of one item of a loop, one after the other. */
export function nodesOfItem(loop: string, step: StepOf<'foreach'>, index: number): Placed[] {
  const steps = step.foreach.steps as unknown as RoutineStep[]
  const keyOf = (one: RoutineStep) => `${loop}[${index}].${one.id}`
  return steps.map((one, at) => ({
    key: keyOf(one),
    step: one,
    phase: 'main',
    needs: at > 0 ? [keyOf(steps[at - 1]!)] : [],
    loop: { key: loop, index, as: step.foreach.as ?? 'item' },
  }))
}

/** The step with that key, and its place. */
export function placeOf(definition: RoutineDefinition, key: string): Placed | undefined {
  const inLoop = /^([^[]+)\[(\d+)\]\.(.+)$/.exec(key)
  if (!inLoop) return nodesOf(definition).find((node) => node.key === key)
  const [, loop, index] = inLoop
  const step = definition.steps.find(({ id }) => id === loop)
  return step?.type === 'foreach' ? nodesOfItem(loop!, step, Number(index)).find((node) => node.key === key) : undefined
}

/**
 * What a run needs next, from its definition and the states of its steps alone. `stopped`: the run has failed already,
 * for another reason than a step. `passed`: steps at the beginning that are known to be done, since long runs come here
 * once for each step.
 */
export function nextOf(
  definition: RoutineDefinition,
  states: ReadonlyMap<string, State>,
  stopped = false,
  passed = 0,
): Next {
  const nodes = nodesOf(definition)
  let at = passed
  while (at < nodes.length && isDone(states.get(nodes[at]!.key)?.status, nodes[at]!.step)) at++
  const next: Next = { begin: [], finish: [], giveUp: [], over: null, passed: at }

  if (stopped || isLost(nodes, states, at)) {
    const busy = [...states.values()].filter(({ key, status }) => atWork(status) && !isHook(key, nodes))
    next.giveUp = busy.map(({ key }) => key)
    const step = nodes.find(({ key, phase }) => phase === 'on_failure' && !isOver(states.get(key)))
    if (!step) next.over = 'failed'
    else if (!states.has(step.key)) next.begin.push(step)
    return next
  }
  // The parts of a run follow each other, that for failures last.
  const phase = nodes[at]?.phase
  if (phase === undefined || phase === 'on_failure') return { ...next, over: 'completed' }

  let free = mostAtOnce
  for (const { status } of states.values()) if (status === 'running') free--
  const take = (placed: Placed) => {
    if (free-- > 0) next.begin.push(placed)
  }
  const isDoneKey = (key: string): boolean => {
    const status = states.get(key)?.status
    if (status !== 'failed') return status === 'completed' || status === 'skipped'
    return isDone(status, nodes.find((node) => node.key === key)!.step)
  }
  for (; at < nodes.length && nodes[at]!.phase === phase; at++) {
    const node = nodes[at]!
    const state = states.get(node.key)
    if (!state && node.needs.every(isDoneKey)) take(node)
    else if (state?.status === 'running' && node.step.type === 'foreach') {
      const { begin, finished } = loopNext(node.key, node.step, state, states)
      if (finished) next.finish.push(node.key)
      else for (const placed of begin) take(placed)
    }
  }
  return next
}

/** Whether a step has failed for good, those of failures' hooks aside. The first `from` steps are done. */
function isLost(nodes: readonly Node[], states: ReadonlyMap<string, State>, from: number): boolean {
  // Most of a long run has not begun: what comes after the last step that has is not looked at.
  let left = states.size - from
  for (let at = from; at < nodes.length && left > 0; at++) {
    const { key, step, phase } = nodes[at]!
    const state = states.get(key)
    if (!state) continue
    left--
    const { status } = state
    if (phase !== 'on_failure' && (status === 'cancelled' || (status === 'failed' && !isDone(status, step))))
      return true
  }
  return false
}

/** A step that others need not wait for any more. */
const isDone = (status: State['status'] | undefined, step: RoutineStep): boolean =>
  status === 'completed' || status === 'skipped' || (status === 'failed' && step.on_fail === 'continue')

const isOver = (state: State | undefined): boolean => state !== undefined && !atWork(state.status)
const isHook = (key: string, nodes: readonly Node[]) =>
  nodes.some((node) => node.key === key && node.phase === 'on_failure')

/** Items are begun in their order, at most as many at a time as the loop says. */
function loopNext(key: string, step: StepOf<'foreach'>, state: State, states: ReadonlyMap<string, State>) {
  const { items } = JSON.parse(state.state_json ?? '{"items":[]}') as Loop
  const begin: Placed[] = []
  let busy = 0
  let finished = true
  for (let index = 0; index < items.length && busy < (step.foreach.parallelism ?? 1); index++) {
    const open = nodesOfItem(key, step, index).find((node) => !isDone(states.get(node.key)?.status, node.step))
    if (!open) continue
    finished = false
    busy++
    if (!states.has(open.key)) begin.push(open)
  }
  return { begin, finished }
}

/** When a step that failed is tried again: milliseconds from now. `random` is between 0 and 1. */
export function backoffOf({ retry }: RoutineStep, attempt: number, random: number): number {
  const { min_ms = 1000, max_ms = 60_000, factor = 2, jitter = true } = retry?.backoff ?? {}
  const pause = Math.min(max_ms, min_ms * factor ** (attempt - 1))
  return Math.round(jitter ? pause * (1 + random / 2) : pause)
}

/** Whether a failure with these words is one that is tried again. */
export const isRetried = ({ retry }: RoutineStep, error: string): boolean =>
  retry?.retry_on?.some((words) => error.toLowerCase().includes(words.toLowerCase())) ?? true

/** How often a step is tried, at most. */
export function triesOf(step: RoutineStep): number {
  if (step.retry) return step.retry.max_attempts
  if (step.on_fail === 'retry_step') return 2
  if (step.type !== 'agent_run' || step.on_fail !== 'escalate_tier') return 1
  return modelTiers.length - modelTiers.indexOf(step.complexity ?? 'moderate')
}
