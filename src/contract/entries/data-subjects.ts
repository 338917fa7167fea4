import { Type } from 'typebox'
import { audit } from './define.ts'
import { quoted } from './quote.ts'

const about = { data_subject_id: Type.String({ description: 'an id: what tells of an erasure names nobody' }) }

/** What was done with what a workspace keeps about a person. Erasures of the journal leave these entries alone. */
export const dataSubjectFacts = {
  'gdpr_action.exported': audit(
    'audit.entity_created',
    'gdpr_action',
    Type.Object({ ...about, action: Type.Literal('export') }),
    ({ metadata }, { actor }) => `${actor} exported what the workspace keeps about user ${metadata.data_subject_id}`,
  ),
  'gdpr_action.begun': audit(
    'audit.entity_created',
    'gdpr_action',
    Type.Object({ ...about, action: Type.Literal('delete'), reason: Type.String() }),
    ({ metadata }, { actor }) =>
      `${actor} had user ${metadata.data_subject_id} erased from the workspace: ${quoted(metadata.reason)}`,
    { action: 'begin' },
  ),
  'gdpr_action.ended': audit(
    'audit.entity_updated',
    'gdpr_action',
    Type.Object({
      ...about,
      status: Type.Enum(['done', 'partial'] as const),
      rows_deleted: Type.Integer(),
      rows_unnamed: Type.Integer(),
      error: Type.Optional(Type.String()),
    }),
    ({ metadata: { data_subject_id, status, rows_deleted, rows_unnamed } }) =>
      `User ${data_subject_id} was erased from the workspace${status === 'partial' ? ' in part' : ''}: ` +
      `${rows_deleted} rows are gone, ${rows_unnamed} name nobody any more`,
  ),
}
