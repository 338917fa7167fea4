import type { Static } from 'typebox'
import type { Plan } from '#contract/plans'
import { templateBytes } from '#contract/workflows'
import { problem } from '#kernel/problem'
import { reached } from '#kernel/reached'

type Given = Static<typeof Plan>
type Step = Given['steps'][number]

/** A plan as it is stored. Refuses steps that cannot follow each other. */
export function planText(plan: Given, name: string): string {
  const { steps } = plan
  checkSteps(steps)
  const text = JSON.stringify({ name: plan.name ?? name, description: plan.description ?? '', steps: steps.map(bare) })
  if (Buffer.byteLength(text) > templateBytes) refuse(`may have at most ${templateBytes} bytes`)
  return text
}

function checkSteps(steps: readonly Step[]): void {
  const places = new Set(steps.map(({ id }) => id))
  if (places.size < steps.length) refuse('has two steps with the same id')
  for (const { id, title, depends_on } of steps) {
    if (!title.trim()) refuse(`is wrong at step "${id}": its title is empty`)
    const unknown = depends_on?.find((other) => !places.has(other))
    if (unknown !== undefined) refuse(`is wrong at step "${id}": it depends on "${unknown}", which is no step`)
  }
  const left = cycleIn(steps)
  if (left) refuse(`has steps that wait for each other: ${left.join(', ')}`)
  for (const { id, loop_back_to } of steps)
    if (loop_back_to && !isAbove(steps, id, loop_back_to))
      refuse(`is wrong at step "${id}": it can only go back to a step that it depends on, not to "${loop_back_to}"`)
}

/** Whether a step depends on another one, over others or not. */
const isAbove = (steps: readonly Step[], id: string, other: string): boolean =>
  reached(id, (one) => steps.find((step) => step.id === one)?.depends_on ?? []).has(other)

/** Steps that can never begin, because they depend on each other; null where there are none. */
function cycleIn(steps: readonly Step[]): string[] | null {
  const done = new Set<string>()
  let left = steps
  for (;;) {
    const ready = left.filter(({ depends_on }) => (depends_on ?? []).every((id) => done.has(id)))
    if (!left.length) return null
    if (!ready.length) return left.map(({ id }) => id)
    for (const { id } of ready) done.add(id)
    left = left.filter(({ id }) => !done.has(id))
  }
}

/** The members of a step that the contract knows. */
const bare = ({ id, title, agent_role, depends_on, max_iterations, loop_back_to }: Step): Step => ({
  id,
  title: title.trim(),
  ...(agent_role && { agent_role }),
  ...(depends_on?.length && { depends_on: [...new Set(depends_on)] }),
  ...(max_iterations && { max_iterations }),
  ...(loop_back_to && { loop_back_to }),
})

function refuse(what: string): never {
  throw problem('invalid_field', { field: 'template_json', detail: `template_json ${what}` })
}
