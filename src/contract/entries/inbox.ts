import { Type } from 'typebox'
import { inboxStates } from '../inbox.ts'
import { audit, auditOfAll } from './define.ts'
import { quoted } from './quote.ts'

const Moved = Type.Object({ state: Type.Enum([...inboxStates]), ids: Type.Array(Type.String()) })

const count = (items: number) => `${items} inbox ${items === 1 ? 'item' : 'items'}`

export const inboxFacts = {
  'inbox_item.updated': audit(
    'audit.entity_updated',
    'inbox_item',
    Moved,
    ({ name, entity_id, metadata }, { actor }) => {
      const { state = 'resolved', ids = [] } = metadata ?? {}
      return `${actor} marked ${ids.length === 1 && name !== entity_id ? quoted(name) : count(ids.length)} as ${state}`
    },
  ),
  'inbox.purged': auditOfAll(
    'audit.entity_deleted',
    'inbox_item',
    Type.Object({ deleted: Type.Integer(), kind: Type.Optional(Type.String()) }),
    ({ metadata }, { actor }) => `${actor} deleted ${count(metadata.deleted)}`,
  ),
}
