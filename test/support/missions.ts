import { expect } from 'vitest'
import { type Delegating, delegating } from './delegating.ts'

export interface ShownTask {
  id: string
  title: string
  status: string
  iteration: number
  assignment_id: string
  error_message: string | null
  [member: string]: unknown
}

export const pathOf = (it: Delegating, id: string) => `/crews/${it.crewId}/missions/${id}`

/** A crew whose LEAD is ada, in which nobody works yet. */
export async function crewWithLead(options: { level?: string; most?: number } = {}): Promise<Delegating> {
  const it = await delegating({ began: false, most: 4, ...options })
  const made = await it.call('OWNER', 'PATCH', `/agents/${it.agentId}`, { agent_role: 'LEAD' })
  expect(made.status, made.text).toBe(200)
  return it
}

/** Creates a mission of that LEAD. */
export async function mission(it: Delegating, tasks: object[] = [], more: object = {}): Promise<string> {
  const body = { title: 'Relaunch', lead_agent_id: it.agentId, tasks, ...more }
  const made = await it.call('OWNER', 'POST', `/crews/${it.crewId}/missions`, body)
  expect(made.status, made.text).toBe(201)
  return made.body.id as string
}

export const shown = async (it: Delegating, id: string) => (await it.call('OWNER', 'GET', pathOf(it, id))).body

export const states = async (it: Delegating, id: string): Promise<Record<string, string>> =>
  Object.fromEntries((await shown(it, id)).tasks.map(({ title, status }: ShownTask) => [title, status]))

export const task = async (it: Delegating, id: string, title: string): Promise<ShownTask> =>
  (await shown(it, id)).tasks.find((one: ShownTask) => one.title === title)

/** The agent at work on a task says this and ends. */
export async function says(it: Delegating, id: string, title: string, words: string): Promise<void> {
  const { run_id } = await it.shown((await task(it, id, title)).assignment_id)
  await it.says(run_id, words)
  await it.settled()
}

/** The program of the agent at work on a task fails. */
export async function fails(it: Delegating, id: string, title: string): Promise<void> {
  const { run_id } = await it.shown((await task(it, id, title)).assignment_id)
  it.runtime.finish(await it.started(run_id), { kind: 'exit', code: 1, timedOut: false })
  await it.runs.ended(run_id)
  await it.settled()
}

export const start = (it: Delegating, id: string) => it.call('OWNER', 'POST', `${pathOf(it, id)}/start`)
