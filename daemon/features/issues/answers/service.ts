import type { App } from '#kernel/app'
import type { Happened } from '#kernel/facts'
import type { Target } from '../../inbox/service.ts'
import { findRun, type Run, runsOfMission, wishCancel } from '../../runs/service.ts'
import { addComment } from '../comments/service.ts'
import { leaveWork } from '../endings/service.ts'
import { moveTo } from '../moving/service.ts'
import { askedOf } from '../people/service.ts'
import { queries, type Row } from '../queries.ts'
import { transitions } from '../rules.ts'
import { note, tell, tellAssigned } from '../telling.ts'

type OfRun = Pick<Run, 'workspace_id' | 'mission_id'>

const issueOf = ({ db }: App, { workspace_id: workspace, mission_id: name }: OfRun): Row | undefined =>
  name === null ? undefined : queries(db).find.get({ workspace, name })

/** The issue of a run in which an agent asks, and whom the question is for; null where the run has no issue. */
export function askedAbout(app: App, run: OfRun): { id: string; identifier: string; target: Target } | null {
  const issue = issueOf(app, run)
  return issue ? { id: issue.id, identifier: issue.identifier, target: askedOf(app, issue) } : null
}

/** The answer to a question about an issue is a comment of whoever answers; null where the run has no issue. */
export function commentAnswer(app: App, run: OfRun, user: string, text: string): string | null {
  const issue = issueOf(app, run)
  if (!issue) return null
  const by = { actor_type: 'user', actor_id: user } as const
  return addComment(app, issue, { by, author: { type: 'user', id: user }, text }).id
}

/**
 * Records on an issue what somebody decided about an agent's question; who takes over works on the issue from then on.
 * Answers the event and its place among those of the issue; null where the run has no issue.
 */
export function recordActed(
  app: App,
  run: OfRun,
  action: string,
  user: string,
): { event_id: string; seq: number } | null {
  const issue = issueOf(app, run)
  if (!issue) return null
  const by = { actor_type: 'user', actor_id: user } as const
  const event_id = note(app, issue, by, 'inbox_acted', action)
  const seq = queries(app.db).eventCount.get(issue.id)!
  if (action === 'take_over') takeOver(app, issue, user)
  return { event_id, seq }
}

/** Gives an issue to a person, ends what agents do on it, and brings it to TODO where it may go there. */
function takeOver(app: App, issue: Row, user: string): void {
  const by = { actor_type: 'user', actor_id: user } as const
  queries(app.db).setWorker.run({ id: issue.id, assignee_id: user })
  const status = transitions.get(issue.status)!.includes('TODO') ? 'TODO' : issue.status
  const after = moveTo(app, issue, status, by)
  if (issue.assignee_id !== user) tellAssigned(app, after, by, issue.assignee_name)
  leaveWork(app, issue, by)
  for (const { id } of runsOfMission(app, issue.id)) wishCancel(app, id, user)
}

/** Says on the issue that its agent waits for a person. */
export function notePark(app: App, { payload, about }: Happened<'run.parked'>): void {
  const run = about.trace_id ? findRun(app, about.trace_id) : undefined
  const issue = run && issueOf(app, run)
  if (!issue) return
  note(app, issue, { actor_type: 'agent', actor_id: run.agent_id }, 'run_parked', payload.question)
  tell(app, issue, 'issue.updated')
}

/** Tells that the agent of an issue goes on. */
export function tellResumed(app: App, { about }: Happened<'run.resumed'>): void {
  const run = about.trace_id ? findRun(app, about.trace_id) : undefined
  const issue = run && issueOf(app, run)
  if (issue) tell(app, issue, 'issue.updated')
}
