import { Type } from 'typebox'
import { roomKinds } from '../rooms.ts'
import { audit } from './define.ts'

const Opened = Type.Object({
  kind: Type.Enum([...roomKinds]),
  is_direct: Type.Boolean(),
  members: Type.Integer({ description: 'How many' }),
  source_conversation_id: Type.Optional(Type.String()),
})

/** Titles and messages are for the members of a room alone: the journal tells only that there is one. */
export const roomFacts = {
  'room.created': audit('audit.entity_created', 'room', Opened, ({ metadata }, { actor, agent }) => {
    if (metadata.is_direct) return `${actor} opened a direct conversation`
    const people = metadata.members === 1 ? '1 member' : `${metadata.members} members`
    return metadata.kind === 'channel'
      ? `${actor} opened a channel of ${people} with ${agent}`
      : `${actor} opened a group of ${people}`
  }),
}
