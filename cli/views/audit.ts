import type { Static } from 'typebox'
import type { AuditRow } from '#contract/audit'
import { age, when, word } from '../output/cell.ts'
import type { View } from '../output/printer.ts'

type Row = Static<typeof AuditRow>

const by = ({ user, actor_type, actor_id }: Row) => user?.email ?? [actor_type, actor_id].filter(Boolean).join(' ')

export const changeView: View<Row> = {
  name: ({ id }) => id,
  empty: 'Nothing was changed that matches.',
  columns: {
    ID: ({ id }) => id,
    ACTION: ({ action }) => action,
    TYPE: ({ entity_type }) => word(entity_type),
    NAME: ({ entity_name, entity_id }) => entity_name ?? entity_id,
    BY: by,
    AGE: ({ created_at }) => age(created_at),
  },
  wide: { SUMMARY: ({ summary }) => summary, CREATED: ({ created_at }) => when(created_at) },
}
