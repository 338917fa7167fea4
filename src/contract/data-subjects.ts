import { Type } from 'typebox'
import { nullable, Time } from './fields.ts'

const text = Type.String()
const count = Type.Integer({ minimum: 0 })
const counts = (description: string) => Type.Record(text, count, { description })

/** Rows of each list that an export shows, newest first; `totals` tells how many there are. */
export const subjectRows = 5000

/** What a workspace keeps about a person beside what they made for it. docs/administration.md. */
export const SubjectData = Type.Object({
  data_subject_id: text,
  workspace_id: text,
  exported_at: Time,
  action_id: text,
  peer_cards: Type.Array(
    Type.Object({
      id: text,
      agent_id: text,
      user_slug: text,
      path: text,
      bytes: count,
      created_at: Time,
      updated_at: Time,
    }),
  ),
  memory_versions: Type.Array(
    Type.Object({
      id: text,
      path: text,
      tier: text,
      sha256: text,
      bytes: count,
      written_at: Time,
      written_by: text,
      payload_ref: nullable(Type.String({ description: 'Where its content is; null when it is kept no more' })),
    }),
    { description: 'Versions that the person wrote' },
  ),
  inbox_items: Type.Array(
    Type.Object({
      id: text,
      kind: text,
      source_id: text,
      title: text,
      body_md: nullable(text),
      state: text,
      payload_json: nullable(text),
      created_at: Time,
    }),
    { description: 'Items for the person, from them, or that they read first or resolved' },
  ),
  totals: counts('How many rows there are, by list'),
})

/** What an erasure did. */
export const Purged = Type.Object({
  action_id: text,
  data_subject: text,
  workspace_id: text,
  rows_deleted: count,
  scope: counts('Rows that were deleted, by table'),
  rows_unnamed: count,
  unnamed: counts('Rows that stay and name the person no more, by table'),
  membership_ended: Type.Boolean(),
  journal_erasure: nullable(
    Type.Object(
      { id: text, status: Type.Enum(['running', 'done'] as const) },
      { description: 'What the journal says is erased by itself from here on; null when that could not begin' },
    ),
  ),
  memory_blobs: Type.Object(
    { kept: count },
    { description: 'Contents of memory that the person wrote; they are stored by their hash and stay' },
  ),
  error: Type.Optional(Type.String({ description: 'The first thing that failed; the rest was done' })),
})
