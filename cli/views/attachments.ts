import type { Static } from 'typebox'
import type { Attachment } from '#contract/attachments'
import { age, size } from '../output/cell.ts'
import type { View } from '../output/printer.ts'

type Row = Static<typeof Attachment>

export const attachmentView: View<Row> = {
  name: ({ id }) => id,
  columns: {
    ID: ({ id }) => id,
    FILE: ({ filename }) => filename,
    SIZE: ({ size_bytes }) => size(size_bytes),
    BY: ({ uploaded_by_name }) => uploaded_by_name ?? null,
    AGE: ({ created_at }) => age(created_at),
  },
  wide: { PATH: ({ agent_path }) => agent_path, TYPE: ({ content_type }) => content_type },
  empty: 'The chat has no files. Next: muster chats attach CHAT FILE',
}
