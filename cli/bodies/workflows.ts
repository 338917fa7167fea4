import type { Static } from 'typebox'
import type { Plan } from '#contract/plans'
import { InputError } from '../input.ts'
import { yamlOf } from './templates.ts'

/** The stages that a file lists, alone or as its `stages`, as the service takes them. */
export async function stagesIn(file: string | undefined): Promise<string | undefined> {
  if (file === undefined) return undefined
  const given = await yamlOf(file)
  const stages = Array.isArray(given) ? given : (given as { stages?: unknown } | null)?.stages
  if (!Array.isArray(stages)) throw new InputError('The file must hold a list of stages.', example)
  return JSON.stringify(stages)
}

const example = 'muster workflows show Standard -o yaml'

/** The plan that a file holds: its steps, alone or beside its name and description. */
export async function planIn(file: string): Promise<Static<typeof Plan>> {
  const given = await yamlOf(file)
  const plan = Array.isArray(given) ? { steps: given } : given
  if (!Array.isArray((plan as { steps?: unknown } | null)?.steps))
    throw new InputError('The file must hold a list of steps.', 'muster plans show pipeline -o yaml')
  return plan as Static<typeof Plan>
}
