import { randomBytes } from 'node:crypto'
import type { Static } from 'typebox'
import type { Checkpoint, checkpoints, MarkedFiles } from '#contract/checkpoints'
import type { Reply } from '#contract/define'
import { type Acting, fact } from '#contract/entries'
import type { App } from '#kernel/app'
import { actorOf } from '#kernel/dispatch'
import type { Happened } from '#kernel/facts'
import type { Call } from '#kernel/feature'
import { blankToNull, pageOf } from '#kernel/http/fields'
import { problem } from '#kernel/problem'
import { agentsOfCrew } from '../agents/service.ts'
import { containerOf } from '../crews/containers/service.ts'
import { digestOf } from '../memory/service.ts'
import { copyMission } from '../missions/copies/service.ts'
import { type Mission, type NewRow, queries, type Row } from './queries.ts'

type Shown = Static<typeof Checkpoint>

/** Entries since a checkpoint that are named. */
const mostNamed = 1000

/** A checkpoint of the workspace, or `not_found`. */
export function findCheckpoint({ db }: App, workspace: string, id: string): Row {
  const row = queries(db).find.get(workspace, id)
  if (!row) throw problem('not_found', { detail: 'There is no such checkpoint' })
  return row
}

/** An issue or a mission of the workspace, or `not_found`. */
export function findMission({ db }: App, workspace: string, id: string): Mission {
  const row = queries(db).mission.get(workspace, id)
  if (!row) throw problem('not_found', { detail: 'There is no such mission' })
  return row
}

export function list(app: App, { actor, missionId, query }: Call<typeof checkpoints.list>) {
  const { id } = findMission(app, actor.workspace, missionId)
  const { limit } = pageOf(query, { fallback: 50, max: 200 })
  const rows = queries(app.db).list.all(id, limit)
  return { mission_id: id, checkpoints: rows.map(toCheckpoint), count: rows.length }
}

export const show = (app: App, { actor, checkpointId }: Call<typeof checkpoints.show>): Shown =>
  toCheckpoint(findCheckpoint(app, actor.workspace, checkpointId))

export function create(app: App, { actor, missionId, body, now }: Call<typeof checkpoints.create>): Row {
  const mission = findMission(app, actor.workspace, missionId)
  const mark_state = app.marks.available ? 'marking' : 'none'
  const made = { workspace_id: actor.workspace, mark_state, rewind_id: null, created_at: now } as const
  const label = blankToNull(body?.label)
  return addCheckpoint(app, mission, { ...made, label, created_by: actor.id }, actorOf(actor))
}

/** Marks the files of the crew; the checkpoint says how that went. */
export async function created(app: App, { workspace_id, id, mark_state }: Row): Promise<Shown> {
  if (mark_state === 'marking') await app.marks.mark(id)
  return toCheckpoint(findCheckpoint(app, workspace_id, id))
}

export const newCheckpointId = () => `cp_${randomBytes(8).toString('hex')}`

/** Records a checkpoint of a mission as it is now. To be called within a change. */
export function addCheckpoint(
  app: App,
  mission: Mission,
  given: Pick<NewRow, 'workspace_id' | 'label' | 'mark_state' | 'rewind_id' | 'created_by' | 'created_at'>,
  by: Acting,
): Row {
  const { insert, newest } = queries(app.db)
  const journal_cursor = newest.get({ workspace: given.workspace_id, mission: mission.id })
  if (!journal_cursor)
    throw problem('nothing_to_anchor', { detail: 'The journal has no entry of this mission to begin from' })
  const id = newCheckpointId()
  insert.run({
    ...given,
    id,
    crew_id: mission.crew_id,
    mission_id: mission.id,
    journal_cursor,
    state_json: JSON.stringify(stateOf(app, mission)),
    mark_id: id,
    mark_json: null,
    fork_of: null,
  })
  const row = findCheckpoint(app, given.workspace_id, id)
  app.journal(fact('checkpoint.created', anchor(row), about(row, by)))
  return row
}

function stateOf(app: App, { id, crew_id }: Mission) {
  const { pendingTasks, openAssignments } = queries(app.db)
  const memory = agentsOfCrew(app, crew_id).flatMap((agent) => {
    const digest = digestOf(app, agent.id)
    return digest ? [[agent.id, digest] as const] : []
  })
  const container = containerOf(app, crew_id)?.container_id
  return {
    agent_memory: Object.fromEntries(memory),
    pending_tasks: pendingTasks.all(id),
    open_assignments: openAssignments.all(crew_id, id),
    ...(container && { crew_container_id: container }),
  }
}

export function toCheckpoint(row: Row): Shown {
  const { label, fork_of, state_json, mark_state, mark_json } = row
  const files = { state: mark_state, ...(mark_json && (JSON.parse(mark_json) as object)) } as Static<typeof MarkedFiles>
  const isMarked = mark_state !== 'none' || mark_json !== null
  return {
    id: row.id,
    workspace_id: row.workspace_id,
    crew_id: row.crew_id,
    mission_id: row.mission_id,
    ...(label !== null && { label }),
    journal_cursor: row.journal_cursor,
    state: { ...(JSON.parse(state_json) as Shown['state']), ...(isMarked && { meta: { files } }) },
    ...(fork_of !== null && { fork_of }),
    created_by: row.created_by ?? '',
    created_by_name: row.created_by_name,
    created_at: row.created_at,
  }
}

/** Says what has happened since, and puts on record that somebody looked back. */
export function restore(
  app: App,
  { actor, checkpointId }: Call<typeof checkpoints.restore>,
): Reply<typeof checkpoints.restore> {
  const row = findCheckpoint(app, actor.workspace, checkpointId)
  const { entries, count } = divergence(app, row)
  app.journal(fact('checkpoint.restored', { ...anchor(row), divergence_count: count }, about(row, actorOf(actor))))
  return { checkpoint: toCheckpoint(row), journal_cursor: row.journal_cursor, warn_divergence: entries }
}

function divergence(app: App, row: Row): { entries: string[]; count: number } {
  const { seqOf, since, countSince } = queries(app.db)
  const seq = seqOf.get(row.journal_cursor)
  if (seq === undefined)
    return { entries: [`The entry ${row.journal_cursor} is gone: what came after it is not known`], count: 0 }
  const after = { workspace: row.workspace_id, mission: row.mission_id, seq }
  const count = countSince.get(after)!
  const entries = since.all({ ...after, limit: mostNamed })
  return { entries: count > mostNamed ? [...entries, `and ${count - mostNamed} more`] : entries, count }
}

export const fork = (app: App, { actor, checkpointId, body, now }: Call<typeof checkpoints.fork>) =>
  forkFrom(app, findCheckpoint(app, actor.workspace, checkpointId), body?.label, actor, now)

/** The same, from a checkpoint that must be one of this mission. */
export function forkOfMission(app: App, { actor, missionId, body, now }: Call<typeof checkpoints.forkMission>) {
  const { id } = findMission(app, actor.workspace, missionId)
  const row = findCheckpoint(app, actor.workspace, body.checkpoint_id)
  if (row.mission_id !== id) throw problem('not_found', { detail: 'The mission has no such checkpoint' })
  return forkFrom(app, row, body.label, actor, now)
}

/** The new mission's checkpoint has the cursor and the marked files of the one that it comes from. */
function forkFrom(
  app: App,
  row: Row,
  label: string | undefined,
  actor: Call<typeof checkpoints.fork>['actor'],
  now: string,
) {
  const { insert } = queries(app.db)
  const mission = `mis_${randomBytes(8).toString('hex')}`
  const title = `Fork: ${row.mission_title}`
  copyMission(app, { id: mission, title, from: row.mission_id, user: actor.id, now })
  const id = newCheckpointId()
  const { mission_title: _title, created_by_name: _name, ...stored } = row
  const made = { id, mission_id: mission, fork_of: row.id, rewind_id: null, created_by: actor.id, created_at: now }
  const state = stateOf(app, { id: mission, crew_id: row.crew_id, title: '' })
  const given = blankToNull(label) ?? `fork of ${row.id}`
  insert.run({ ...stored, ...made, label: given, state_json: JSON.stringify(state) })
  const payload = {
    parent_mission: row.mission_id,
    new_mission: mission,
    fork_of: row.id,
    new_checkpoint_id: id,
    journal_cursor: row.journal_cursor,
    title: `Fork: ${row.mission_title}`,
  }
  app.journal(fact('fork.created', payload, { ...about(row, actorOf(actor)), mission_id: mission }))
  app.broadcast({ channel: `workspace:${row.workspace_id}`, type: 'mission.updated', payload: { id: mission } })
  return { new_mission_id: mission, new_checkpoint_id: id }
}

export function remove(app: App, { actor, checkpointId }: Call<typeof checkpoints.remove>): undefined {
  const row = findCheckpoint(app, actor.workspace, checkpointId)
  if (queries(app.db).rewinding.get({ id: row.id })) throw problem('rewind_open')
  queries(app.db).remove.run(row.id)
  app.afterCommit(() => app.marks.prune(row.crew_id))
  const payload = { entity_id: row.id, name: row.label ?? row.id }
  app.journal(fact('checkpoint.deleted', payload, about(row, actorOf(actor))))
}

/** The checkpoints of a deleted issue or mission go with it, unless an open rewind needs one of them. */
export function leaveMission(
  app: App,
  { payload, about: { mission_id } }: Happened<'mission.status_change' | 'orchestration.changed'>,
): void {
  if (payload.action !== 'deleted' || !mission_id) return
  const { crewsOf, rewindingMission } = queries(app.db)
  if (rewindingMission.get(mission_id)) throw problem('rewind_open')
  const crews = crewsOf.all(mission_id)
  app.afterCommit(() => {
    for (const crew of crews) app.marks.prune(crew)
  })
}

const anchor = ({ id, journal_cursor, mission_id, mission_title, label }: Row) => ({
  checkpoint_id: id,
  journal_cursor,
  mission_id,
  mission_title,
  ...(label !== null && { label }),
})

/** Whom an entry of a checkpoint concerns. */
export const about = ({ workspace_id, crew_id, mission_id }: Row, by: Acting) => ({
  workspace_id,
  crew_id,
  mission_id,
  ...by,
})
