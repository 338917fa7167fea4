import type { RoutineDefinition, RoutineStep } from '#contract/routine-definition'
import { cited, namesOf } from '#kernel/templates'

/** Part of a run in which a step belongs. */
export type Phase = 'before_all' | 'main' | 'after_all' | 'on_failure'

/** A step in its place: what must be over before it begins. */
export interface Node {
  key: string
  step: RoutineStep
  phase: Phase
  needs: readonly string[]
}

/** The steps that a text or an expression of a step cites. */
export const stepsCited = (step: RoutineStep, ids: ReadonlySet<string>): string[] => {
  const fromTemplates = cited(step)
    .map(namesOf)
    .filter(([root]) => root === 'steps')
    .map(([, id]) => id!)
  const fromExpressions = [...JSON.stringify(step).matchAll(/\bsteps\.([a-zA-Z_][\w-]*)/g)].map(([, id]) => id!)
  return [...new Set([...fromTemplates, ...fromExpressions])].filter((id) => ids.has(id) && id !== step.id)
}

const known = new WeakMap<RoutineDefinition, readonly Node[]>()

/** What each step of a definition waits for. docs/routines.md, "Order". */
export function nodesOf(definition: RoutineDefinition): readonly Node[] {
  const found = known.get(definition) ?? placed(definition)
  known.set(definition, found)
  return found
}

function placed({ steps, hooks = {}, parallelism = 'explicit' }: RoutineDefinition): Node[] {
  const ids = new Set(steps.map(({ id }) => id))
  const inOrder = (list: readonly RoutineStep[], index: number) => (index > 0 ? [list[index - 1]!.id] : [])
  const main = steps.map((step, index): Node => {
    const needs =
      parallelism === 'off'
        ? inOrder(steps, index)
        : parallelism === 'auto'
          ? [...new Set([...(step.needs ?? []), ...stepsCited(step, ids)])]
          : (step.needs ?? inOrder(steps, index))
    return { key: step.id, step, phase: 'main', needs }
  })
  const hook = (phase: Exclude<Phase, 'main'>) =>
    (hooks[phase] ?? []).map((step, index, all): Node => ({ key: step.id, step, phase, needs: inOrder(all, index) }))
  return [...hook('before_all'), ...main, ...hook('after_all'), ...hook('on_failure')]
}
