import type { Role } from '#contract/roles'
import type { StepOf } from '#contract/routine-definition'
import type { App } from '#kernel/app'
import { render } from '#kernel/templates'
import { membersOf } from '../../crews/members/service.ts'
import { crewCalled } from '../../crews/service.ts'
import { raise, type Target } from '../../inbox/service.ts'
import { membershipOf } from '../../members/service.ts'
import { openWaitpoint } from '../../waitpoints/service.ts'
import { queries, type RunRow } from '../engine/queries.ts'
import { type Beginning, completed, failed, type Outcome } from './types.ts'

const approvalSeconds = 86_400

/** A step that waits for a person, or for a system that holds the token of its waitpoint. */
export function beginWaitForApproval({ app, run, step, key, values }: Beginning<StepOf<'wait'>>): Outcome {
  const prompt =
    render(step.wait.approval_prompt ?? '', values)
      .trim()
      .slice(0, 4000) || `Go on with ${run.routine_name}?`
  const { id } = openWaitpoint(app, {
    workspace: run.workspace_id,
    kind: 'approval',
    prompt,
    run: run.id,
    step: key,
    ...(run.crew_id && { crew: run.crew_id }),
    seconds: step.timeout_seconds ?? approvalSeconds,
    now: app.now(),
  })
  return { status: 'waiting', keeps: { waitpoint_id: id } }
}

const roles: readonly string[] = ['OWNER', 'ADMIN', 'MANAGER', 'MEMBER', 'VIEWER']
/** What one run may tell the same people. */
const mostNotices = 20

export function beginNotify({ app, run, step, id, values }: Beginning<StepOf<'notify'>>): Outcome {
  const { to, title, body, priority, category } = step.notify
  const recipient = render(to, values).trim()
  const targets = targetsOf(app, run, recipient)
  if (typeof targets === 'string') return failed(targets, true)
  if (queries(app.db).told.get(run.id, recipient)! >= mostNotices)
    return failed(`${recipient} was told ${mostNotices} things by this run already`, true)
  const scrub = app.scrub({ workspace_id: run.workspace_id, agent_id: '' }, [])
  const words = {
    title: scrub(render(title, values)).split('\n')[0]!.slice(0, 200),
    body: body && scrub(render(body, values)),
  }
  for (const [index, target] of targets.entries())
    raise(app, {
      kind: 'message',
      source: index ? `${id}_${index}` : id,
      target,
      title: words.title || run.routine_name,
      body: words.body ?? null,
      ...(priority && { priority }),
      sender: { type: 'pipeline', id: run.routine_id, name: run.routine_name },
      payload: { subkind: 'routine_update', pipeline_run_id: run.id, step_id: step.id, ...(category && { category }) },
      workspace: run.workspace_id,
      now: app.now(),
    })
  return { ...completed({ told: targets.length }), state: recipient }
}

/** Whom a notice is for, or what is wrong with the recipient. */
function targetsOf(app: App, { workspace_id, user_id }: RunRow, recipient: string): Target[] | string {
  const [kind, name = ''] = recipient.split(/:(.*)/s)
  if (recipient === 'workspace') return ['workspace']
  if (recipient === 'trigger') return [user_id ? { user: user_id } : 'workspace']
  if (kind === 'role' && roles.includes(name)) return [{ role: name as Role }]
  if (kind === 'user' && membershipOf(app, workspace_id, name)) return [{ user: name }]
  const crew = kind === 'crew' ? crewCalled(app, workspace_id, name) : undefined
  if (crew) {
    const people = membersOf(app, crew.id)
    return people.length ? people.map((user) => ({ user })) : [{ role: 'MANAGER' }]
  }
  return `There is nobody called "${recipient}" here: workspace, trigger, user:ID, role:ROLE or crew:SLUG`
}
