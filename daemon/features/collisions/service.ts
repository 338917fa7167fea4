import type { Static } from 'typebox'
import { type CollisionKind, type collisions, collisionsOfPair, type Collision as Schema } from '#contract/collisions'
import type { Reply } from '#contract/define'
import { fact, type Payload } from '#contract/entries'
import { collisionSays } from '#contract/entries/collisions'
import type { App } from '#kernel/app'
import type { Happened } from '#kernel/facts'
import type { Call } from '#kernel/feature'
import { pageOf } from '#kernel/http/fields'
import { newId } from '#kernel/ids'
import { findCrew } from '../crews/service.ts'
import { leaveNote } from '../notes/service.ts'
import { ancestorsOf } from '../runs/chains/service.ts'
import { findRun, type Run } from '../runs/service.ts'
import { queries, type Row } from './queries.ts'
import { noteFor, shownPath, sinceOf } from './rules.ts'

/** Two runs of different agents that wrote the same thing while both were open. */
export interface Found {
  kind: CollisionKind
  path: string
  repository?: string | undefined
  branch?: string | undefined
  certain: boolean
  count: number
  /** By milliseconds since 1970. */
  first: { runId: string; at: number }
  second: { runId: string; at: number }
}

type Listed = Static<typeof Schema>

export function list(app: App, { actor, query }: Call<typeof collisions.list>): Listed[] {
  const { crew_id: crew, agent_id: agent, run_id: run, chat_id: chat } = query
  const wanted = { crew, agent, run, chat }
  const given = Object.fromEntries(Object.entries(wanted).map(([name, id]) => [name, id || null]))
  const since = sinceOf(query.since)
  const rows = queries(app.db).list.all({
    workspace: actor.workspace,
    since,
    ...(given as Record<keyof typeof wanted, string | null>),
    ...pageOf(query),
  })
  return rows.map(toListed)
}

export function watch(app: App, { actor, crewId }: Call<typeof collisions.watch>): Reply<typeof collisions.watch> {
  const { id } = findCrew(app, actor.workspace, crewId)
  const { since, ...rest } = app.collisions.watch(id)
  return { crew_id: id, ...rest, since: since === null ? null : new Date(since).toISOString() }
}

const toListed = (row: Row): Listed => ({
  ...row,
  certain: row.certain === 1,
  summary: collisionSays(payloadOf(row)),
})

function payloadOf(row: Row): Payload<'files.collision'> {
  const { id: collision_id, kind, path, repository, branch, certain, count } = row
  return {
    collision_id,
    kind,
    path,
    ...(repository !== null && { repository }),
    ...(branch !== null && { branch }),
    certain: certain === 1,
    count,
    first: {
      run_id: row.first_run_id,
      agent_id: row.first_agent_id,
      agent_name: row.first_agent_name,
      agent_slug: row.first_agent_slug,
      at: row.first_at,
    },
    second: {
      run_id: row.second_run_id,
      agent_id: row.second_agent_id,
      agent_name: row.second_agent_name,
      agent_slug: row.second_agent_slug,
      at: row.second_at,
    },
  }
}

/** The chat in which people read what is said in a run, or in the one that delegated it. */
const chatNear = (app: App, run: Run): string | null =>
  ancestorsOf(app, run).find(({ chat_id }) => chat_id !== null)?.chat_id ?? null

/** Records a collision, once for each thing and pair of runs, and no more of a pair than its share. */
export function recordCollision(app: App, found: Found): void {
  const [first, second] = [findRun(app, found.first.runId), findRun(app, found.second.runId)]
  if (!first || !second || first.agent_id === second.agent_id || first.crew_id !== second.crew_id) return
  const { ofPair, insert, find } = queries(app.db)
  const [low = '', high = ''] = [first.id, second.id].sort()
  if (found.kind !== 'more' && ofPair.get({ low, high })! >= collisionsOfPair) return
  const shown = (text: string) =>
    [first, second].reduce(
      (it, { workspace_id, agent_id }) => app.scrub({ workspace_id, agent_id }, [])(it),
      shownPath(text),
    )
  const time = (at: number) => new Date(at).toISOString()
  const stored = insert.get({
    id: newId(app.clock()),
    workspace_id: first.workspace_id,
    crew_id: first.crew_id,
    kind: found.kind,
    path: shown(found.path),
    repository: found.repository === undefined ? null : shown(found.repository),
    branch: found.branch === undefined ? null : shown(found.branch),
    certain: Number(found.certain),
    count: found.count,
    first_run_id: first.id,
    first_agent_id: first.agent_id,
    first_chat_id: chatNear(app, first),
    first_at: time(found.first.at),
    second_run_id: second.id,
    second_agent_id: second.agent_id,
    second_chat_id: chatNear(app, second),
    second_at: time(found.second.at),
    created_at: time(app.clock()),
  })
  if (stored) tell(app, find.get(stored.id)!)
}

/** Puts it on record, and tells the workspace and both chats. */
function tell(app: App, row: Row): void {
  app.journal(
    fact('files.collision', payloadOf(row), {
      workspace_id: row.workspace_id,
      crew_id: row.crew_id,
      agent_id: row.second_agent_id,
      trace_id: row.second_run_id,
      actor_type: 'orchestrator',
      refs: { collision_id: row.id, run_ids: [row.first_run_id, row.second_run_id] },
    }),
  )
  const { workspace_id: _ws, first_chat_id: _one, second_chat_id: _two, ...payload } = { ...row, ...toListed(row) }
  const chats = [row.first_chat_id, row.second_chat_id].flatMap((chat) => (chat ? [`session:${chat}`] : []))
  for (const channel of new Set([`workspace:${row.workspace_id}`, ...chats]))
    app.broadcast({ channel, type: 'files.collision', payload })
}

/** Records what is not noticed in the shared folders of a crew. */
export function recordGap(
  app: App,
  crew: { workspace_id: string; crew_id: string },
  { path, ...gap }: Payload<'files.unwatched'>,
): void {
  const shown = path && app.scrub({ workspace_id: crew.workspace_id, agent_id: '' }, [])(shownPath(path))
  app.journal(
    fact('files.unwatched', { ...gap, ...(shown && { path: shown }) }, { ...crew, actor_type: 'orchestrator' }),
  )
}

/** Leaves a note for both agents, which they get at their next step. */
export function tellAgents(app: App, { payload }: Happened<'files.collision'>): void {
  for (const reader of ['first', 'second'] as const) {
    const text = noteFor(payload, reader)
    if (text) leaveNote(app, { runId: payload[reader].run_id, kind: 'collision', text })
  }
}
