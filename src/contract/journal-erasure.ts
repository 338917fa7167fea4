import { Type } from 'typebox'
import { nullable, Time } from './fields.ts'

/** An erasure of what the journal says of a person. */
export const Erasure = Type.Object({
  id: Type.String(),
  user_id: Type.String(),
  reason: Type.String(),
  asked_by: Type.String({ description: 'a user' }),
  status: Type.Enum(['running', 'done'] as const),
  looked_through: Type.Number({ description: 'how much of the journal, from 0 to 1' }),
  entries: Type.Integer({ description: 'entries whose summary and payload were erased' }),
  summaries_kept: Type.Integer({
    description: 'entries of the first versions, whose summary cannot be erased without breaking the chain',
  }),
  begun_at: Time,
  ended_at: nullable(Time),
})
