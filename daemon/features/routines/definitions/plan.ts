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
  /** The step that this one belongs to: it is left out where that one is. */
  of?: RoutineStep
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
  return [...hook('before_all'), ...main.flatMap(withHooks(main)), ...hook('after_all'), ...hook('on_failure')]
}

const hooksOf = (step: RoutineStep, when: 'before' | 'after') => (step.hooks?.[when] ?? []) as unknown as RoutineStep[]

/** A step between its hooks: what waits for a step waits for the hooks after it too. */
const withHooks = (main: readonly Node[]) => {
  const ends = new Map(main.map(({ key, step }) => [key, hooksOf(step, 'after').at(-1)?.id ?? key]))
  return (node: Node): Node[] => {
    const { step, phase } = node
    const waitsFor = node.needs.map((key) => ends.get(key) ?? key)
    const inRow = (hooks: RoutineStep[], first: readonly string[]) =>
      hooks.map((hook, index): Node => {
        const needs = index > 0 ? [hooks[index - 1]!.id] : first
        return { key: hook.id, step: hook, phase, needs, of: step }
      })
    const before = inRow(hooksOf(step, 'before'), waitsFor)
    const needs = before.length ? [before.at(-1)!.key] : waitsFor
    return [...before, { ...node, needs }, ...inRow(hooksOf(step, 'after'), [node.key])]
  }
}

/** All steps of a definition, with those of its loops and hooks. */
export function stepsOf({ steps, hooks = {} }: RoutineDefinition): RoutineStep[] {
  const within = (step: RoutineStep): RoutineStep[] => [
    step,
    ...(step.type === 'foreach' ? (step.foreach.steps as unknown as RoutineStep[]) : []),
    ...hooksOf(step, 'before'),
    ...hooksOf(step, 'after'),
  ]
  return [...steps, ...Object.values(hooks).flat()].flatMap(within)
}
