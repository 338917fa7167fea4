import type { Reply } from '#contract/define'
import type { issues } from '#contract/issues'
import type { App } from '#kernel/app'
import { actorOf } from '#kernel/dispatch'
import type { Actor, Call } from '#kernel/feature'
import { newId } from '#kernel/ids'
import { problem } from '#kernel/problem'
import { agentById } from '../../agents/service.ts'
import { addMessage } from '../../chats/messages/service.ts'
import { openIssueChat } from '../../chats/service.ts'
import { beginRun, runsOfMission, wishCancel } from '../../runs/service.ts'
import { leaveWork } from '../endings/service.ts'
import { moveTo } from '../moving/service.ts'
import { taskText } from '../prompts/service.ts'
import type { Row } from '../queries.ts'
import { standing } from '../rules.ts'
import { findIssue } from '../service.ts'
import { note, tell } from '../telling.ts'

/** An issue is started from these. */
const startable: ReadonlySet<string> = new Set(['BACKLOG', 'TODO'])

/** Lets the routine of an issue do it, or its agent work on it, in its own chat about the issue. */
export function start(app: App, { actor, crewId, identifier }: Call<typeof issues.start>): Reply<typeof issues.start> {
  const issue = findIssue(app, actor.workspace, identifier, crewId)
  checkStartable(issue)
  const by = actorOf(actor)
  if (issue.routine_id !== null) return startRoutine(app, actor, issue)
  const agent = workerOf(app, issue)
  const chat_id = openIssueChat(app, agent, issue.id, chatTitle(issue))
  const run_id = newId(app.clock())
  const message = addMessage(app, {
    chatId: chat_id,
    agentId: agent.id,
    runId: run_id,
    role: 'user',
    content: taskText(app, issue),
    metadata: { kind: 'issue', mission_id: issue.id, issue_identifier: issue.identifier },
  })
  beginRun(app, {
    id: run_id,
    agent,
    source: 'chat',
    source_id: message.id,
    chat_id,
    triggered_by: actor.id,
    trigger_type: 'ISSUE',
    tags: ['issue'],
  })
  note(app, issue, by, 'issue_started')
  const after = moveTo(app, issue, 'IN_PROGRESS', by, { work_chat_id: chat_id })
  tell(app, after, 'issue.started')
  return { status: after.status, identifier: after.identifier, run_id, chat_id, routine_slug: null }
}

function startRoutine(app: App, actor: Actor, issue: Row): Reply<typeof issues.start> {
  const { id, identifier, routine_id, routine_inputs_json, routine_slug } = issue
  const inputs = JSON.parse(routine_inputs_json ?? '{}') as Record<string, unknown>
  const run_id = app.routines.start(app, actor, { id, identifier, routine: routine_id!, inputs })
  const by = actorOf(actor)
  note(app, issue, by, 'issue_started', routine_slug)
  const after = moveTo(app, issue, 'IN_PROGRESS', by, { work_run_id: run_id })
  tell(app, after, 'issue.started')
  return { status: after.status, identifier, run_id, chat_id: null, routine_slug }
}

export const chatTitle = ({ identifier, title }: Row): string => [...`${identifier} ${title}`].slice(0, 200).join('')

const refused = (detail: string) => problem('transition_refused', { detail })

/** Refuses what is begun or over, and what a person works on. */
function checkStartable(row: Row): void {
  const { identifier, status, assignee_type, assignee_name } = row
  if (!startable.has(status)) throw refused(`${standing(row)}. An issue is started from ${[...startable].join(' or ')}`)
  if (assignee_type === 'user') throw refused(worksOn(identifier, assignee_name))
}

const worksOn = (identifier: string, name: string | null) =>
  `${name ?? 'A person'} works on ${identifier}: give it to an agent first`

/** The agent that is to work on an issue, or why there is none. */
function workerOf(app: App, { identifier, assignee_type, assignee_id, assignee_name, work_mode }: Row) {
  if (assignee_type === null) throw refused(`Nobody works on ${identifier}: give it to an agent or a routine first`)
  const agent = assignee_type === 'agent' && work_mode === 'agent' ? agentById(app, assignee_id!) : undefined
  if (!agent) throw refused(worksOn(identifier, assignee_name))
  return agent
}

/** Ends the runs of an issue. One that its agent works on goes back to TODO. */
export function wishStop(
  app: App,
  { actor, crewId, identifier }: Call<typeof issues.stop>,
): { row: Row; runs: string[] } {
  const issue = findIssue(app, actor.workspace, identifier, crewId)
  const by = actorOf(actor)
  const atWork = issue.work_chat_id !== null || issue.work_run_id !== null
  const row = atWork ? moveTo(app, issue, 'TODO', by) : issue
  const runs = leaveWork(app, issue, by)
  for (const { id } of runsOfMission(app, issue.id)) if (wishCancel(app, id, actor.id)) runs.push(id)
  if (!runs.length && !atWork) throw refused(`${standing(issue)}. Nothing runs for it`)
  note(app, issue, by, 'issue_stopped')
  return { row, runs }
}

/** How long a stop waits for the programs that it ends. */
const patienceMs = 15_000

/** Waits until what was stopped has ended, for a while. */
export async function settleStop(app: App, { row, runs }: ReturnType<typeof wishStop>) {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, patienceMs)
  })
  await Promise.race([Promise.all(runs.map((id) => app.runs.ended(id))), late])
  clearTimeout(timer)
  return { status: row.status, identifier: row.identifier }
}
