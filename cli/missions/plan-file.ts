import type { Static } from 'typebox'
import { parse } from 'yaml'
import type { PlannedTask } from '#contract/missions'
import { InputError } from '../input.ts'

type Tasks = Static<typeof PlannedTask>[]

/** The tasks of a plan in YAML or JSON: `tasks`, each with `id`, `title`, and perhaps `agent` and `depends_on`. */
export async function tasksIn(text: string, agentId: (slug: string) => Promise<string>): Promise<Tasks> {
  const plan = read(text)
  const list = Array.isArray(plan) ? plan : (plan as { tasks?: unknown } | null)?.tasks
  if (!Array.isArray(list)) throw new InputError('The plan has no list of tasks under "tasks".')
  return Promise.all(list.map((it, at) => taskOf(it, at + 1, agentId)))
}

function read(text: string): unknown {
  try {
    return parse(text, { maxAliasCount: 0 })
  } catch (error) {
    throw new InputError(`The plan is neither YAML nor JSON: ${(error as Error).message.split('\n')[0]}`)
  }
}

const known = [
  'id',
  'title',
  'description',
  'agent',
  'depends_on',
  'max_iterations',
  'loop_back_to',
  'approval_required',
]

async function taskOf(it: unknown, at: number, agentId: (slug: string) => Promise<string>): Promise<Tasks[number]> {
  if (typeof it !== 'object' || it === null) throw new InputError(`Task ${at} of the plan is no object.`)
  const unknown = Object.keys(it).find((name) => !known.includes(name))
  if (unknown) throw new InputError(`Task ${at} of the plan has "${unknown}"; it may have ${known.join(', ')}.`)
  const { id, agent, depends_on, loop_back_to, ...rest } = it as Record<string, unknown>
  return {
    ...rest,
    key: String(id ?? at),
    ...(depends_on !== undefined && { depends_on: [depends_on].flat().map(String) }),
    ...(loop_back_to !== undefined && { loop_back_to: String(loop_back_to) }),
    ...(typeof agent === 'string' && { assigned_agent_id: await agentId(agent.replace(/^@/, '')) }),
  } as Tasks[number]
}
