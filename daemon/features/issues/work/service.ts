import type { Reply } from '#contract/define'
import type { issues } from '#contract/issues'
import type { App } from '#kernel/app'
import { actorOf } from '#kernel/dispatch'
import type { Call } from '#kernel/feature'
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
import { findIssue } from '../service.ts'
import { note, tell } from '../telling.ts'

/** An issue is started from these. */
const startable: ReadonlySet<string> = new Set(['BACKLOG', 'TODO'])

/** Lets the agent of an issue work on it, in its own chat about the issue. */
export function start(app: App, { actor, crewId, identifier }: Call<typeof issues.start>): Reply<typeof issues.start> {
  const issue = findIssue(app, actor.workspace, identifier, crewId)
  const agent = workerOf(app, issue)
  const by = actorOf(actor)
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
  const after = moveTo(app, issue, 'IN_PROGRESS', chat_id, by)
  tell(app, after, 'issue.started')
  return { status: after.status, identifier: after.identifier, run_id, chat_id }
}

export const chatTitle = ({ identifier, title }: Row): string => [...`${identifier} ${title}`].slice(0, 200).join('')

const refused = (detail: string) => problem('transition_refused', { detail })

/** The agent that is to work on an issue, or why there is none. */
function workerOf(app: App, { identifier, status, assignee_type, assignee_id, assignee_name, work_mode }: Row) {
  if (!startable.has(status))
    throw refused(`${identifier} is ${status}; an issue is started from ${[...startable].join(' or ')}`)
  if (assignee_type === null) throw refused(`Nobody works on ${identifier}: give it to an agent first`)
  const agent = assignee_type === 'agent' && work_mode === 'agent' ? agentById(app, assignee_id!) : undefined
  if (!agent) throw refused(`${assignee_name ?? 'A person'} works on ${identifier}: give it to an agent first`)
  return agent
}

/** Ends the runs of an issue. One that its agent works on goes back to TODO. */
export function wishStop(
  app: App,
  { actor, crewId, identifier }: Call<typeof issues.stop>,
): { row: Row; runs: string[] } {
  const issue = findIssue(app, actor.workspace, identifier, crewId)
  const by = actorOf(actor)
  const row = issue.work_chat_id === null ? issue : moveTo(app, issue, 'TODO', null, by)
  const runs = leaveWork(app, issue, by)
  for (const { id } of runsOfMission(app, issue.id)) if (wishCancel(app, id, actor.id)) runs.push(id)
  if (!runs.length && issue.work_chat_id === null) throw refused(`Nothing runs for ${identifier}`)
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
