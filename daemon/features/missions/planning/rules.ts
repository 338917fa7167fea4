import { mostPlannedTasks } from '#contract/missions'
import { cleanName } from '#kernel/http/fields'
import { Problem } from '#kernel/problem'
import { inCycle } from '../rules.ts'

/** A task as a LEAD plans it: the agent by slug, other tasks by the ids that the plan gives them. */
export interface Planned {
  id: string
  title: string
  description: string | null
  agent: string | null
  depends_on: string[]
}

export interface Mate {
  slug: string
  name: string
  role_title: string | null
  agent_role: string
}

const lineOf = ({ slug, name, role_title, agent_role }: Mate) =>
  `- ${slug}: ${name}${role_title ? `, ${role_title}` : ''}${agent_role === 'LEAD' ? ' (you)' : ''}`

/** How the reason begins for which people refused a plan. */
export const notApproved = 'People did not approve the plan'

/** What the LEAD is asked. */
export function askText(
  mission: { title: string; description: string | null },
  mates: readonly Mate[],
  refusal: string | null,
): string {
  const parts = [
    'Plan a mission for your crew. Do not work on it yourself now: say only who does what, and in which order.',
    `The mission: ${mission.title}`,
    mission.description,
    `The agents of the crew:\n${mates.map(lineOf).join('\n')}`,
    [
      'End with the plan as JSON in one fenced block, and nothing after it:',
      '```json',
      '{"tasks": [{"id": "a", "title": "One line", "description": "All that the agent needs to know", "agent": "slug",',
      '  "depends_on": []}]}',
      '```',
    ].join('\n'),
    `At most ${mostPlannedTasks} tasks. "agent" is one of the agents above. "depends_on" lists ids of tasks of this ` +
      'plan whose results the task needs; an agent sees the results of these, and nothing else of what others did.',
    refusal && `Your last plan could not be used: ${refusal}. Give the whole plan again.`,
  ]
  return parts.filter(Boolean).join('\n\n')
}

/** A plan that cannot be used, in words that its author understands. */
export class BadPlan extends Error {}

/** Characters at the end of an answer in which the plan is looked for. */
const looksAt = 400_000
const fence = /^ {0,3}(`{3,}|~{3,})/

/** The texts of the fenced blocks of an answer, in one pass over its lines. */
function blocksOf(answer: string): string[] {
  const blocks: string[] = []
  let open: { mark: string; lines: string[] } | null = null
  for (const line of answer.split('\n')) {
    const mark = fence.exec(line)?.[1]
    if (!open) open = mark ? { mark, lines: [] } : null
    else if (!mark?.startsWith(open.mark)) open.lines.push(line)
    else {
      blocks.push(open.lines.join('\n'))
      open = null
    }
  }
  return blocks
}

/** The last JSON text in an answer: a fenced block, or what stands between its first and last brace. */
function jsonIn(given: string): unknown {
  const answer = given.slice(-looksAt)
  const whole = answer.slice(answer.indexOf('{'), answer.lastIndexOf('}') + 1)
  for (const text of [...blocksOf(answer).slice(-20).reverse(), answer, whole]) {
    try {
      return JSON.parse(text)
    } catch {
      // The next one may be it.
    }
  }
  throw new BadPlan('there is no JSON in it')
}

const isObject = (it: unknown): it is Record<string, unknown> =>
  typeof it === 'object' && it !== null && !Array.isArray(it)

function textOf(value: unknown, what: string, most: number, lines: 'one' | 'many'): string {
  if (typeof value !== 'string' || value.trim() === '') throw new BadPlan(`${what} must be a text`)
  if ([...value].length > most) throw new BadPlan(`${what} has more than ${most} characters`)
  if (lines === 'one' && /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/.test(value.trim()))
    throw new BadPlan(`${what} must be one line`)
  if (value.includes('\0')) throw new BadPlan(`${what} has a character that no text has`)
  return lines === 'one' ? nameOf(value, what, most) : value.trim()
}

/** A name as any other one, so that nothing in a plan is refused once it is taken. */
function nameOf(value: string, what: string, max: number): string {
  try {
    return cleanName(what, value, { min: 1, max, unit: 'characters' })
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    throw new BadPlan(error.message)
  }
}

/** Reads a plan strictly; throws `BadPlan` with what is wrong in it. */
export function readPlan(answer: string | null, slugs: readonly string[]): Planned[] {
  const plan = jsonIn(answer ?? '')
  return readTasks(isObject(plan) ? plan['tasks'] : plan, slugs)
}

/** Reads the tasks of a plan strictly; throws `BadPlan` with what is wrong in them. */
export function readTasks(list: unknown, slugs: readonly string[]): Planned[] {
  if (!Array.isArray(list) || list.length === 0) throw new BadPlan('"tasks" must be a list with at least one task')
  if (list.length > mostPlannedTasks)
    throw new BadPlan(`it has ${list.length} tasks, and at most ${mostPlannedTasks} are taken`)
  const tasks = list.map((it, at) => taskOf(it, `task ${at + 1}`, slugs))
  const known = new Set(tasks.map(({ id }) => id))
  if (known.size < tasks.length) throw new BadPlan('two tasks have the same id')
  for (const { title, depends_on } of tasks) {
    const unknown = depends_on.find((id) => !known.has(id))
    if (unknown !== undefined) throw new BadPlan(`"${title}" depends on "${unknown}", which is no task of the plan`)
  }
  const at = inCycle(tasks)
  if (at !== undefined) throw new BadPlan(`the task "${at}" depends on itself`)
  return tasks
}

function taskOf(it: unknown, what: string, slugs: readonly string[]): Planned {
  if (!isObject(it)) throw new BadPlan(`${what} must be an object`)
  const { id, title, description, agent, depends_on = [] } = it
  const slug =
    agent === undefined || agent === null ? null : textOf(agent, `the agent of ${what}`, 64, 'one').replace(/^@/, '')
  if (slug !== null && !slugs.includes(slug))
    throw new BadPlan(`${what} names the agent "${slug}", who is not in the crew (${slugs.join(', ')})`)
  if (!Array.isArray(depends_on)) throw new BadPlan(`"depends_on" of ${what} must be a list`)
  return {
    id: textOf(typeof id === 'number' ? String(id) : id, `the id of ${what}`, 64, 'one'),
    title: textOf(title, `the title of ${what}`, 200, 'one'),
    description:
      description === undefined || description === null || description === ''
        ? null
        : textOf(description, `the description of ${what}`, 20_000, 'many'),
    agent: slug,
    depends_on: [
      ...new Set(
        depends_on.map((one) =>
          textOf(typeof one === 'number' ? String(one) : one, `"depends_on" of ${what}`, 64, 'one'),
        ),
      ),
    ],
  }
}
