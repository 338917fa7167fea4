import type { RoomKind } from '#contract/rooms'
import type { App } from '#kernel/app'
import type { Actor } from '#kernel/feature'
import { problem } from '#kernel/problem'
import { participantsOf } from '../../chats/participants/service.ts'
import { enterChat } from '../../chats/service.ts'
import { queries } from '../queries.ts'

/** What is continued, and who takes part in it. */
export interface Source {
  kind: RoomKind
  isDirect: boolean
  people: readonly string[]
}

/** A room or a group chat, which counts as a private group: absent for who takes no part in it. */
export function sourceFor(app: App, actor: Actor, id: string): Source {
  const { id: user, workspace } = actor
  const room = queries(app.db).ofMember.get({ id, user, workspace })
  if (room) {
    const people = queries(app.db)
      .members.all(id)
      .map((member) => member.user_id)
    return { kind: room.kind, isDirect: room.pair !== null, people }
  }
  const people = peopleOfChat(app, actor, id)
  if (!people.includes(user)) throw problem('not_found', { detail: 'There is no such room' })
  return { kind: 'group', isDirect: false, people }
}

function peopleOfChat(app: App, actor: Actor, id: string): readonly string[] {
  const chat = enterChat(app, actor, id)?.chat
  return chat?.workspace_id === actor.workspace && chat.visibility === 'group' ? participantsOf(app, id) : []
}
