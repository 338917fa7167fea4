import type { assignments } from '#contract/assignments'
import { fact } from '#contract/entries'
import type { App } from '#kernel/app'
import type { Call, Result } from '#kernel/feature'
import { isVisible } from '#kernel/http/fields'
import { newId } from '#kernel/ids'
import { type Problem, problem } from '#kernel/problem'
import { type AgentRow, findAgent } from '../../agents/service.ts'
import { openRequests, requestApproval } from '../../approvals/service.ts'
import { mayDelegate } from '../../crews/connections/service.ts'
import { raise } from '../../inbox/service.ts'
import { consult, policyOf, type Verdict } from '../../policies/service.ts'
import { ancestorsOf } from '../../runs/chains/service.ts'
import { checkMayHear, findRun, type Run } from '../../runs/service.ts'
import { groupOf } from '../deliveries/service.ts'
import { queries, type Row } from '../queries.ts'
import { admit } from '../queue/service.ts'
import { cut } from '../rules.ts'
import { broadcast, concerning, naming, toldOf } from '../telling.ts'

type Asked = Call<typeof assignments.create>
type Worker = AgentRow & { crew_id: string }

/** Open requests for approval of one agent: a loop must not fill the inbox. */
const openAtMost = 20
const action = 'assignment_create'

/** Gives work to another agent: at once, once people approve it, or not at all. A repeated call gives it once. */
export function create(app: App, { body, now }: Asked): Result<typeof assignments.create> {
  const asker = findAgent(app, body.workspace_id, body.agent_id)
  if (asker.crew_id !== body.crew_id) throw problem('not_found', { field: 'agent_id' })
  const known = body.call_id ? queries(app.db).ofCall.get(body.call_id) : undefined
  if (known?.assigned_by_id === asker.id) return promised(sameAs(app, known, body))
  const run = runOf(app, body)
  if (!isVisible(body.task)) throw problem('invalid_field', { field: 'task', detail: 'Say what is to be done' })
  const target = targetOf(app, asker, body)
  const place = placeOf(app, run)
  const refused = limitOf(app, { asker, target, run, place })
  if (refused) return refused
  const verdict = consult(app, { workspace: body.workspace_id, crew: body.crew_id, action })
  if (verdict === 'refuse') throw problem('policy_refused')
  if (verdict === 'ask' && openRequests(app, body.workspace_id, asker.id) >= openAtMost)
    throw problem('rate_limited', { detail: `${openAtMost} of your requests wait for people already` })
  const id = newId(app.clock())
  queries(app.db).insert.get({
    id,
    workspace_id: body.workspace_id,
    crew_id: target.crew_id,
    mission_id: null,
    task_id: null,
    brief: null,
    assigned_by_id: asker.id,
    assigned_to_id: target.id,
    task: body.task.trim(),
    ...place,
    parent_run_id: run.id,
    triggered_by: run.triggered_by,
    call_id: body.call_id ?? null,
    created_at: now,
  })
  return begin(app, queries(app.db).byId.get(id)!, { asker, target, verdict, now })
}

/** What was asked for in this call before; a call that asks for something else is refused. */
function sameAs({ db }: App, known: Row, { workspace_id, task, target }: Asked['body']): Row {
  const named = queries(db).target.get(workspace_id, slugIn(target))
  const isOther = named !== undefined && named.id !== known.assigned_to_id
  if (isOther || known.task !== task.trim()) throw problem('client_id_taken', { field: 'call_id' })
  return known
}

const promised = ({ id, status, approval_id }: Row) =>
  status === 'PENDING' && approval_id
    ? { assignment_id: id, status: 'PENDING_REVIEW' as const, approval_id }
    : { assignment_id: id, status }

/** The open run in which an agent asks. */
function runOf(app: App, { run_id, agent_id }: Asked['body']): Run {
  const run = run_id ? findRun(app, run_id) : undefined
  if (run?.agent_id !== agent_id || run.phase === 'ended' || run.cancelled_at !== null)
    throw problem('run_gone', {
      detail: 'Which run asks cannot be told, or it is over: send its id, $SVC_RUN_ID, as the header X-Svc-Run-Id',
    })
  return run
}

const slugIn = (target: string): string => target.trim().replace(/^@/, '')

function targetOf(app: App, asker: AgentRow, { workspace_id: workspace, target, crew }: Asked['body']): Worker {
  const slug = slugIn(target)
  const found = queries(app.db).target.get(workspace, slug)
  if (!found && queries(app.db).deleted.get(workspace, slug)) throw problem('agent_deleted', { field: 'target' })
  const agent = found && findAgent(app, workspace, found.id)
  const named = crew?.trim()
  if (!agent || (named && named !== agent.crew_slug && named !== agent.crew_id))
    throw problem('not_found', { field: 'target', detail: `There is no agent ${cut(slug, 50, '…')}` })
  if (agent.id === asker.id)
    throw problem('own_assignment', { field: 'target', detail: 'Do it yourself, or name another agent' })
  if (!agent.crew_id) throw problem('agent_crewless', { field: 'target' })
  if (!mayDelegate(app, asker.crew_id!, agent.crew_id))
    throw problem('crews_not_connected', {
      field: 'target',
      detail: `@${agent.slug} is in the crew ${agent.crew_slug}, to which your crew has no connection`,
    })
  checkMayHear(agent)
  return agent as Worker
}

type Place = Pick<Row, 'chat_id' | 'group_id' | 'depth' | 'parent_assignment_id' | 'chain_origin'>

function placeOf(app: App, run: Run): Place {
  // A question to another agent on the way does not hide the work that it hangs from.
  const above = ancestorsOf(app, run).filter(({ source }) => source === 'assignment')
  const parent = above[0]?.source_id ? queries(app.db).byId.get(above[0].source_id) : undefined
  return {
    chat_id: parent ? parent.chat_id : run.chat_id,
    group_id: groupOf(app, run),
    depth: above.length + 1,
    parent_assignment_id: parent?.id ?? null,
    chain_origin: parent?.chain_origin ?? queries(app.db).groupOfTurn.get(run.id)?.chain_origin ?? run.id,
  }
}

/** Refuses work past the limits against loops; returned, so that it is on record and the agent before is told, too. */
function limitOf(
  app: App,
  { asker, target, run, place }: { asker: AgentRow; target: Worker; run: Run; place: Place },
): Problem | null {
  const { maxAssignmentDepth: deep, maxAssignmentFanOut: wide } = app.config
  const tooDeep = place.depth > deep
  if (!tooDeep && queries(app.db).groupCount.get(place.group_id)!.n < wide) return null
  const [limit, most] = tooDeep
    ? (['assignments.max_depth', deep] as const)
    : (['assignments.max_fan_out', wide] as const)
  const why = tooDeep
    ? `Work may be delegated ${deep} times in a row (${limit})`
    : `An agent may delegate ${wide} times for one request (${limit})`
  const { workspace_id, id: agent_id } = asker
  const about = { workspace_id, crew_id: asker.crew_id!, agent_id, trace_id: run.id, actor_type: 'agent' } as const
  const payload = { target_slug: target.slug, target_name: target.name, limit, most }
  app.journal(fact('assignment.refused', payload, { ...about, actor_id: agent_id }))
  if (place.parent_assignment_id)
    queries(app.db).setRefusal.run(
      `@${asker.slug} wanted to give work to @${target.slug}, which was refused. ${why}`,
      place.parent_assignment_id,
    )
  const detail = `${why}: do the rest yourself, and say what is open`
  return problem('assignment_limit', { detail, extra: { setting: limit, limit: most, target: target.slug } })
}

interface Judged {
  asker: AgentRow
  target: Worker
  verdict: Exclude<Verdict, 'refuse'>
  now: string
}

function begin(app: App, row: Row, judged: Judged) {
  const { asker, verdict } = judged
  const { level } = policyOf(app, row.workspace_id, asker.crew_id!)
  const approval_id = verdict === 'ask' ? ask(app, row, judged) : undefined
  const { depth } = row
  const told = {
    ...naming(app, row),
    depth,
    policy_action: action,
    policy_verdict: verdict,
    autonomy_level: level,
  } as const
  const about = { ...concerning(row), actor_type: 'agent', actor_id: asker.id } as const
  const severity = verdict === 'notice' ? { severity: 'notice' as const } : {}
  app.journal(fact('assignment.created', { ...told, ...(approval_id && { approval_id }) }, { ...about, ...severity }))
  broadcast(app, row, 'created')
  if (verdict === 'inbox') notify(app, row, judged)
  return promised(approval_id ? queries(app.db).byId.get(row.id)! : admit(app, row))
}

const senderOf = ({ id, name }: AgentRow) => ({ type: 'agent' as const, id, name })

/** Asks people to approve it. */
function ask(app: App, row: Row, { asker, target, now }: Judged): string {
  const approval = requestApproval(app, {
    workspace: row.workspace_id,
    crew: asker.crew_id!,
    agent: target.id,
    run: row.parent_run_id,
    by: asker.id,
    kind: 'autonomy_gate',
    reason: cut(toldOf(app, row).task, 2000),
    payload: {
      target: 'assignment',
      target_id: row.id,
      agent_id: target.id,
      agent_name: target.name,
      policy_action: action,
    },
    card: {
      title: `${asker.name} wants to give work to ${target.name}`,
      body: row.task,
      sender: senderOf(asker),
    },
    now,
  })
  queries(app.db).setApproval.run(approval, row.id)
  return approval
}

/** One notice in the inbox for all that a request made an agent delegate. */
function notify(app: App, row: Row, { asker, target, now }: Judged): void {
  const { n } = queries(app.db).groupCount.get(row.group_id)!
  const more = n > 1 ? `, and to ${n - 1} before` : ''
  const item = {
    kind: 'message',
    source: `assignments_${row.group_id}`,
    target: { role: 'MANAGER' },
    title: `${asker.name} gave work to ${target.name}${more}`,
    body: toldOf(app, row).task,
    sender: senderOf(asker),
    payload: { subkind: 'autonomy', policy_action: action, assignment_id: row.id, agent_id: target.id },
  } as const
  raise(app, { ...item, workspace: row.workspace_id, now }, 'upsert')
}
