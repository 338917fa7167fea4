import { Type } from 'typebox'
import { noteKinds } from '../notes.ts'
import { entry } from './define.ts'

export const noteFacts = {
  'run.note_taken': entry(
    'run.note_taken',
    'info',
    Type.Object({
      note_id: Type.String(),
      kind: Type.Enum([...noteKinds]),
      chat_id: Type.Optional(Type.String()),
      message_id: Type.Optional(Type.String({ description: 'What was said to the agent while it worked' })),
    }),
    ({ kind }, { agent }) =>
      kind === 'steer'
        ? `${agent} was told what somebody said while it worked`
        : `${agent} was told that its files collide with those of another agent`,
  ),
}
