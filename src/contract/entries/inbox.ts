import { Type } from 'typebox'
import { inboxStates } from '../inbox.ts'
import { audit, entry, quoted } from './define.ts'

const Moved = Type.Object({ state: Type.Enum([...inboxStates]), ids: Type.Array(Type.String()) })

const count = (items: number) => `${items} inbox ${items === 1 ? 'item' : 'items'}`

export const inboxFacts = {
  'inbox_item.updated': audit('audit.entity_updated', 'inbox_item', Moved, ({ name, metadata }, { actor }) => {
    const { state = 'resolved', ids = [] } = metadata ?? {}
    return `${actor} marked ${ids.length === 1 && name ? quoted(name) : count(ids.length)} as ${state}`
  }),
  'inbox.purged': entry(
    'audit.entity_deleted',
    'notice',
    Type.Object({
      action: Type.Literal('delete'),
      entity_type: Type.Literal('inbox_item'),
      metadata: Type.Object({ deleted: Type.Integer(), kind: Type.Optional(Type.String()) }),
    }),
    ({ metadata }, { actor }) => `${actor} deleted ${count(metadata.deleted)}`,
  ),
}
