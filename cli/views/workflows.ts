import type { Static } from 'typebox'
import type { PlanTemplate, Step } from '#contract/plans'
import type { WorkflowTemplate } from '#contract/workflows'
import { age, type Cell, when } from '../output/cell.ts'
import type { View } from '../output/printer.ts'

type Workflow = Static<typeof WorkflowTemplate>
type PlanRow = Static<typeof PlanTemplate>
type Both = Workflow | PlanRow

/** The stages of a template, in their order. */
export function stagesOf({ template_json }: Workflow): { name: string; type: string; position: number }[] {
  try {
    return (JSON.parse(template_json) as ReturnType<typeof stagesOf>).sort((a, b) => a.position - b.position)
  } catch {
    return []
  }
}

const begun = {
  ID: ({ id }: Both) => id,
  NAME: ({ name }: Both) => name,
  BUILTIN: ({ is_builtin }: Both) => is_builtin,
}
const ended = {
  ICON: ({ icon }: Both) => icon,
  COLOR: ({ color }: Both) => color,
  AGE: ({ created_at }: Both) => age(created_at),
}

const lines = {
  Name: ({ name }: Both) => name,
  Id: ({ id }: Both) => id,
  Description: ({ description }: Both) => description,
  Builtin: ({ is_builtin }: Both) => is_builtin,
  Icon: ({ icon }: Both) => icon,
  Color: ({ color }: Both) => color,
  Updated: ({ updated_at }: Both): Cell => when(updated_at),
}

export const workflowView: View<Workflow> = {
  name: ({ name }) => name,
  columns: { ...begun, STAGES: (row) => stagesOf(row).length, ...ended },
  detail: lines,
  below: (row) =>
    stagesOf(row)
      .map(({ name, type, position }) => `${position}. ${name} (${type})`)
      .join('\n'),
}

export const planView: View<PlanRow> = {
  name: ({ name }) => name,
  columns: { ...begun, STEPS: ({ template_json }) => template_json.steps.length, ...ended },
  detail: lines,
  below: ({ template_json }) => template_json.steps.map(told).join('\n'),
}

function told({ id, title, agent_role, depends_on, max_iterations, loop_back_to }: Static<typeof Step>): string {
  const more = [
    agent_role && `by ${agent_role}`,
    depends_on?.length && `after ${depends_on.join(', ')}`,
    loop_back_to && `back to ${loop_back_to}`,
    max_iterations && `${max_iterations} times at most`,
  ].filter(Boolean)
  return `${id}: ${title}${more.length ? ` (${more.join('; ')})` : ''}`
}
