import type { App } from '#kernel/app'
import type { Happened } from '#kernel/facts'
import { newId } from '#kernel/ids'
import { mentions } from '#kernel/mentions'
import { Problem } from '#kernel/problem'
import { agentById } from '../../agents/service.ts'
import { beginRun, findRun, type Run } from '../../runs/service.ts'
import { find as findUser } from '../../users/service.ts'
import { type MessageRow, messageById, notify } from '../messages/service.ts'
import { queries as roomQueries } from '../queries.ts'
import { announce, type RoomRow, roomById } from '../service.ts'
import { type CallRow, queries } from './queries.ts'

/** Most mentions that wait in a room. */
const waitingLimit = 100

/** Lets the agent of a room answer a message that mentions it, once it is done with those before. */
export function call(app: App, room: Pick<RoomRow, 'id' | 'agent_id'>, { seq, content }: MessageRow): void {
  const agent = room.agent_id === null ? undefined : agentById(app, room.agent_id)
  if (!agent || !mentions(content, agent)) return
  if (queries(app.db).count.get(room.id)!.count >= waitingLimit)
    notify(app, room.id, `${agent.name} does not answer this: ${waitingLimit} messages wait for it already`)
  else {
    queries(app.db).insert.run(room.id, seq)
    beginNext(app, room.id)
  }
}

/** Begins with the oldest mention that waits, unless the agent is at work here. */
function beginNext(app: App, roomId: string): void {
  const room = roomById(app, roomId)
  const next = room && queries(app.db).oldest.get(roomId)
  if (!next || room.run_id !== null) return
  queries(app.db).remove.run(roomId, next.seq)
  const refusal = begin(app, room, next)
  if (refusal === null) announce(app, roomId)
  else {
    queries(app.db).removeAll.run(roomId)
    notify(app, roomId, `Nobody answers: ${refusal}`)
  }
}

/** Why the agent cannot answer; null when it begins to. */
function begin(app: App, room: RoomRow, { id: source_id, author_id: triggered_by }: CallRow): string | null {
  const agent = room.agent_id === null ? undefined : agentById(app, room.agent_id)
  if (!agent) return 'the agent is deleted'
  const id = newId(app.clock())
  const by = { source: 'room', source_id, chat_id: null, triggered_by, trigger_type: 'USER' } as const
  try {
    beginRun(app, { id, agent, ...by, tags: ['room'] })
  } catch (error) {
    if (error instanceof Problem) return error.message
    throw error
  }
  roomQueries(app.db).setRun.run(id, room.id)
  return null
}

type Ended = Happened<'run.completed' | 'run.failed' | 'run.cancelled' | 'run.timeout'>

/** Says in the room how a run of its agent ended, if not with an answer, and begins the next one. */
export function afterRun(app: App, it: Ended): void {
  const run = it.about.trace_id ? findRun(app, it.about.trace_id) : undefined
  const message = run?.source === 'room' && run.source_id ? messageById(app, run.source_id) : undefined
  if (!run || !message || roomById(app, message.room_id)?.run_id !== run.id) return
  roomQueries(app.db).setRun.run(null, message.room_id)
  const words = endOf(app, it, run)
  if (words) notify(app, message.room_id, words)
  announce(app, message.room_id)
  beginNext(app, message.room_id)
}

function endOf(app: App, { name, about }: Ended, { agent_name: agent, reason }: Run): string | null {
  if (name === 'run.completed') return null
  if (name === 'run.cancelled') {
    const by = about.actor_type === 'user' && about.actor_id ? findUser(app, about.actor_id) : null
    return `${agent}'s run was cancelled${by ? ` by ${by.full_name ?? by.email}` : ''}`
  }
  const words = name === 'run.timeout' ? `${agent}'s run took too long` : `${agent}'s run failed`
  return reason ? `${words}: ${reason}` : words
}

/** Nobody answers any more in the rooms of a deleted agent. */
export function leaveAgent(app: App, { payload }: Happened<'agent.deleted'>): void {
  for (const { id } of roomQueries(app.db).ofAgent.all(payload.entity_id)) {
    queries(app.db).removeAll.run(id)
    notify(app, id, 'The agent was deleted: nobody answers here any more')
    announce(app, id)
  }
}
