import { Type } from 'typebox'
import { get } from './define.ts'
import { Id, nullable, Time } from './fields.ts'

export const decisionStates = ['open', 'decided', 'expired', 'withdrawn'] as const
export type DecisionState = (typeof decisionStates)[number]

/** One thing that may be decided, and the body that says so. */
const Choice = Type.Object({
  id: Type.String(),
  label: Type.String(),
  means: Type.Optional(
    Type.Enum(['approve', 'deny'], { description: 'Which of the two it is, where people say no more than that' }),
  ),
  operation: Type.Optional(Type.String({ description: 'Where it is another than that of the others' })),
  effect: Type.Optional(Type.String({ description: 'What follows, in a sentence' })),
  body: Type.Record(Type.String(), Type.Unknown(), { description: 'What the operation is called with' }),
  text: Type.Optional(
    Type.Object(
      { member: Type.String(), required: Type.Boolean() },
      { description: 'The member of the body that takes the words of who decides' },
    ),
  ),
})

/** How something that waits for a person is decided. Choices that take more than a text are left to the operation. */
export const Decides = Type.Object({
  operation: Type.String({ description: 'as `approvals.decide`' }),
  params: Type.Record(Type.String(), Type.String(), { description: 'of its path' }),
  choices: Type.Array(Choice),
})

/** Whatever waits for a person: escalations, approvals, waitpoints, questions of agents. */
export const decisions = {
  show: get('/decisions/:decisionId', {
    summary: 'Tell how something that waits for a person is decided; by its id, or that of its inbox item',
    access: 'VIEWER',
    reply: Type.Object({
      id: Id,
      kind: Type.String(),
      state: Type.Enum([...decisionStates]),
      item_id: Type.String(),
      run_id: nullable(Type.String()),
      deadline_at: nullable(Type.String()),
      created_at: Time,
      decides: Decides,
    }),
    throws: ['not_found'],
  }),
}
