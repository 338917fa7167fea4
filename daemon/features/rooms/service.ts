import type { Static } from 'typebox'
import type { Reply } from '#contract/define'
import type { Room, rooms } from '#contract/rooms'
import type { App } from '#kernel/app'
import type { Happened } from '#kernel/facts'
import type { Actor, Call } from '#kernel/feature'
import { pageOf } from '#kernel/http/fields'
import { problem } from '#kernel/problem'
import { find as findUser } from '../users/service.ts'
import { notify } from './messages/service.ts'
import { type OwnRoomRow, queries, type RoomRow } from './queries.ts'

export type { RoomRow } from './queries.ts'

export function listRooms(app: App, { actor, query }: Call<typeof rooms.list>): Static<typeof Room>[] {
  const page = pageOf(query, { fallback: 50, max: 200 })
  const of = { user: actor.id, workspace: actor.workspace, kind: query.kind ?? null }
  return queries(app.db)
    .list.all({ ...of, ...page })
    .map((row) => toRoom(app, row))
}

/** A room that the caller is a member of; any other is absent. */
export function enterRoom({ db }: App, { id: user, workspace }: Actor, id: string): OwnRoomRow {
  const room = queries(db).ofMember.get({ id, user, workspace })
  if (!room) throw problem('not_found', { detail: 'There is no such room' })
  return room
}

/** The room as the caller, who is a member of it, sees it. */
export const showRoom = (app: App, actor: Actor, id: string): Static<typeof Room> =>
  toRoom(app, enterRoom(app, actor, id))

/** A room by its id: for the daemon's own work, never for a request. */
export const roomById = ({ db }: App, id: string): RoomRow | undefined => queries(db).find.get(id)

export const membersOf = ({ db }: App, room: string): string[] =>
  queries(db)
    .members.all(room)
    .map(({ user_id }) => user_id)

export const isMember = ({ db }: App, room: string, user: string): boolean =>
  queries(db).workspace.get(room, user) !== undefined

/** The workspace of a room, for its members alone. */
export const workspaceOfRoom = ({ db }: App, room: string, user: string): string | undefined =>
  queries(db).workspace.get(room, user)?.workspace_id

export function readRoom(app: App, { actor, conversationId, body }: Call<typeof rooms.read>): Reply<typeof rooms.read> {
  enterRoom(app, actor, conversationId)
  const seq = body?.seq ?? null
  const { last_read_seq } = queries(app.db).read.get({ room: conversationId, user: actor.id, seq })!
  return { conversation_id: conversationId, last_read_seq }
}

/** Who leaves the workspace leaves its rooms. What they said stays. */
export function leaveRooms(app: App, { payload, about }: Happened<'workspace_member.deleted'>): void {
  const user = payload.metadata.user_id
  const left = queries(app.db).leave.all(user, about.workspace_id!)
  const { full_name, email } = findUser(app, user)
  for (const { room_id } of left) {
    queries(app.db).touch.run(app.now(), room_id)
    notify(app, room_id, `${full_name ?? email} left the workspace`)
    announce(app, room_id)
  }
}

/** Tells the members of a room that it has changed. */
export function announce(app: App, id: string): void {
  const room = queries(app.db).find.get(id)
  if (!room) return
  const { title, agent_id, run_id, last_seq, last_message_at, updated_at } = room
  const { count: member_count } = queries(app.db).count.get(id)!
  const payload = { id, title, agent_id, run_id, last_seq, last_message_at, updated_at, member_count }
  app.broadcast({ channel: `room:${id}`, type: 'room.updated', payload })
}

function toRoom(app: App, row: OwnRoomRow): Static<typeof Room> {
  const { pair, source_id, agent_name, agent_slug, active_at: _, ...room } = row
  const agent = row.agent_id && agent_name ? { id: row.agent_id, name: agent_name, slug: agent_slug! } : null
  return {
    ...room,
    is_direct: pair !== null,
    source_conversation_id: source_id,
    agent,
    members: queries(app.db).members.all(row.id),
  }
}
