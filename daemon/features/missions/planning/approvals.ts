import type { App } from '#kernel/app'
import type { Happened } from '#kernel/facts'
import { agentById } from '../../agents/service.ts'
import { requestApproval } from '../../approvals/service.ts'
import { raise } from '../../inbox/service.ts'
import { consult } from '../../policies/service.ts'
import { move, setMission } from '../engine/service.ts'
import { queries, type Row, type TaskRow } from '../queries.ts'
import { changed, orchestrator } from '../telling.ts'
import { notApproved } from './rules.ts'

type Review = Happened<'approval.granted' | 'approval.denied' | 'approval.timeout' | 'approval.cancelled'>

const action = 'mission_create'

/** A plan as people read it. */
function planText(tasks: readonly TaskRow[]): string {
  const place = new Map(tasks.map(({ id }, at) => [id, at + 1]))
  return tasks
    .map(({ title, agent_slug, depends_on }, at) => {
      const after = (JSON.parse(depends_on) as string[]).map((id) => place.get(id))
      return `${at + 1}. ${title} (@${agent_slug ?? 'LEAD'}${after.length ? `, after ${after.join(', ')}` : ''})`
    })
    .join('\n')
}

/** Begins a planned mission as far as the policy of its crew allows: at once, or once people approve the plan. */
export function judge(app: App, mission: Row): void {
  const { workspace_id: workspace, crew_id: crew } = mission
  const verdict = consult(app, { workspace, crew, action })
  const lead = agentById(app, mission.lead_agent_id!)!
  if (verdict === 'ask' || verdict === 'refuse') {
    setMission(app, mission, { approval_id: ask(app, mission, lead) })
    return
  }
  setMission(app, mission, { plan_state: 'start' })
  if (verdict !== 'inbox') return
  const item = {
    kind: 'message',
    source: `plan_${mission.id}`,
    target: { role: 'MANAGER' },
    title: `${lead.name} planned the mission "${mission.title}", which begins`,
    body: planText(queries(app.db).tasks.all(mission.id)),
    sender: { type: 'agent', id: lead.id, name: lead.name },
    payload: { subkind: 'autonomy', policy_action: action, mission_id: mission.id },
  } as const
  raise(app, { ...item, workspace, now: app.now() }, 'upsert')
}

function ask(app: App, mission: Row, lead: { id: string; name: string }): string {
  return requestApproval(app, {
    workspace: mission.workspace_id,
    crew: mission.crew_id,
    mission: mission.id,
    agent: lead.id,
    by: lead.id,
    kind: 'autonomy_gate',
    reason: `The plan of the mission "${mission.title}"`,
    payload: { target: 'mission', target_id: mission.id, mission_id: mission.id, policy_action: action },
    card: {
      title: `Begin the mission "${mission.title}" as ${lead.name} planned it?`,
      body: planText(queries(app.db).tasks.all(mission.id)),
      sender: { type: 'agent', id: lead.id, name: lead.name },
    },
    now: app.now(),
  })
}

const isPlan = ({ payload }: Review): boolean => payload.kind === 'autonomy_gate' && payload.target === 'mission'

/** Applies what people decided about a plan. */
export function settlePlan(app: App, it: Review): void {
  if (!isPlan(it) || !it.payload.target_id) return
  const mission = queries(app.db).byId.get(it.payload.target_id)
  if (mission?.status !== 'PLANNING' || mission.approval_id !== it.payload.approval_id) return
  if (it.name === 'approval.granted') {
    setMission(app, mission, { plan_state: 'start', approval_id: null })
    return
  }
  const why = it.payload.comment ?? it.payload.reason
  const reason = `${notApproved}${why ? `: ${why}` : ''}`
  // An agent asked for all of it; what people began they may plan anew.
  if (mission.created_by_type === 'agent')
    return void move(app, mission, 'CANCELLED', orchestrator, { reason, error_message: reason, approval_id: null })
  changed(app, setMission(app, mission, { approval_id: null, error_message: reason }), orchestrator, 'plan_failed', {
    reason,
  })
}

/** The mission whose plan a decision was about. */
export const plannedBy = (it: Review): string | null => (isPlan(it) ? (it.payload.target_id ?? null) : null)
