import type { Static } from 'typebox'
import { fact } from '#contract/entries'
import type { Room, RoomRole, rooms } from '#contract/rooms'
import type { App } from '#kernel/app'
import { actorOf, unchanged } from '#kernel/dispatch'
import type { Actor, Call } from '#kernel/feature'
import { newId } from '#kernel/ids'
import { problem } from '#kernel/problem'
import { type AgentRow, findAgent } from '../../agents/service.ts'
import { membershipOf } from '../../members/service.ts'
import { notify } from '../messages/service.ts'
import { queries as roomQueries } from '../queries.ts'
import { showRoom } from '../service.ts'
import { queries } from './queries.ts'
import { checkClientId, digestOf, pairOf, type Wanted, wantedOf } from './rules.ts'
import { sourceFor } from './sources.ts'

type Shown = Static<typeof Room>
type Opening = Call<typeof rooms.create> | Call<typeof rooms.continue>

/** Opens a room; the direct one of two people is there already at the second time. */
export function createRoom(app: App, call: Call<typeof rooms.create>): Shown {
  const wanted = wantedOf(call.body, call.actor.id)
  return once(app, call, { source: call.actor.workspace, wanted }, () => {
    const people = [call.actor.id, ...wanted.invited]
    const known = wanted.is_direct && existing(app, call, people)
    return known || open(app, call, { wanted, people, source: null })
  })
}

/** Opens a room beside another one, or beside a chat of several people, whose messages stay there. */
export function continueRoom(app: App, call: Call<typeof rooms.continue>): Shown {
  const { actor, conversationId, body } = call
  const source = sourceFor(app, actor, conversationId)
  const wanted = wantedOf(body, actor.id)
  if (wanted.kind === 'group' && !source.isDirect)
    throw problem('invalid_field', { field: 'kind', detail: 'Only a direct room is continued as a group' })
  if (source.kind === 'channel') throw problem('invalid_field', { field: 'kind', detail: 'A channel is not continued' })
  const fresh = wanted.invited.filter((id) => !source.people.includes(id))
  if (wanted.kind === 'group' && fresh.length === 0)
    throw problem('invalid_field', { field: 'member_ids', detail: 'Name at least one person who is not there yet' })
  return once(app, call, { source: conversationId, wanted }, () => {
    const people = wanted.kind === 'group' ? [...source.people, ...fresh] : wanted.invited
    return open(app, call, { wanted, people: [...new Set([actor.id, ...people])], source: conversationId })
  })
}

/** The room of a request, made at its first time. docs/rules/rooms.md, "Requests that come again". */
function once(
  app: App,
  { actor, body, now }: Opening,
  { source, wanted }: { source: string; wanted: Wanted },
  make: () => string,
): Shown {
  const key = { source, user_id: actor.id, client_id: checkClientId(body.client_id) }
  const sha256 = digestOf(wanted)
  const before = queries(app.db).find.get(key)
  if (before && before.sha256 !== sha256) throw problem('client_id_taken', { field: 'client_id' })
  if (before) return showRoom(app, actor, before.room_id)
  const room_id = make()
  queries(app.db).insert.run({ ...key, sha256, room_id, created_at: now })
  return showRoom(app, actor, room_id)
}

/** The direct room of two people, with both in it; null when there is none. */
function existing(app: App, call: Opening, people: readonly string[]): string | null {
  checkMembers(app, call.actor, people)
  const room = roomQueries(app.db).ofPair.get(call.actor.workspace, pairOf(people[0]!, people[1]!))
  if (!room) return null
  for (const user of people) join(app, call, room.id, user)
  unchanged(call)
  return room.id
}

interface Order {
  wanted: Wanted
  /** All members, the caller first. */
  people: readonly string[]
  source: string | null
}

function open(app: App, call: Opening, { wanted, people, source }: Order): string {
  const { actor, now } = call
  checkMembers(app, actor, people)
  const agent = wanted.agent_id === null ? null : findAgent(app, actor.workspace, wanted.agent_id)
  const id = newId(app.clock())
  roomQueries(app.db).insert.run({
    id,
    workspace_id: actor.workspace,
    kind: wanted.kind,
    pair: wanted.is_direct ? pairOf(people[0]!, people[1]!) : null,
    title: wanted.title,
    source_id: source,
    agent_id: agent?.id ?? null,
    created_by: actor.id,
    active_at: new Date(app.clock()).toISOString(),
    created_at: now,
    updated_at: now,
  })
  for (const user of people) join(app, call, id, user)
  record(app, actor, id, { wanted, people, source }, agent)
  if (agent) notify(app, id, `${agent.name} joined; it answers when it is mentioned as @${agent.slug}`)
  const payload = showRoom(app, actor, id)
  for (const user of people) app.broadcast({ channel: `user:${user}`, type: 'room.created', payload })
  return id
}

function record(app: App, actor: Actor, id: string, { wanted, people, source }: Order, agent: AgentRow | null): void {
  const { kind, is_direct } = wanted
  const metadata = { kind, is_direct, members: people.length, ...(source && { source_conversation_id: source }) }
  const concerned = agent ? { agent_id: agent.id, ...(agent.crew_id && { crew_id: agent.crew_id }) } : {}
  const about = { workspace_id: actor.workspace, ...concerned, ...actorOf(actor) }
  app.journal(fact('room.created', { entity_id: id, metadata }, about))
}

function join(app: App, { actor, now }: Opening, room: string, user: string): void {
  const role: RoomRole = user === actor.id ? 'owner' : 'member'
  roomQueries(app.db).join.run({ room, user, workspace: actor.workspace, role, now })
}

/** Refuses people who do not belong to the workspace as if they did not exist. */
function checkMembers(app: App, { workspace }: Actor, people: readonly string[]): void {
  if (people.some((user) => !membershipOf(app, workspace, user)))
    throw problem('not_found', { field: 'member_ids', detail: 'There is no such member' })
}
