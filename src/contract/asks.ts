import { Type } from 'typebox'
import { post } from './define.ts'
import { Id, nullable, prose, Ref, Time } from './fields.ts'

/** What a person may do with a question of an agent. */
export const inboxActions = ['answer', 'take_over', 'dismiss'] as const
export const answerLimit = 8000

/** What became of a decision. docs/rules/inbox.md, "Acting on a question". */
export const Receipt = Type.Object({
  action: Type.Enum([...inboxActions]),
  acted_by: Id,
  acted_at: Time,
  inbox_item_id: Id,
  session_id: Id,
  source_run_id: Type.String({ description: 'the run that asked' }),
  comment_id: Type.Optional(
    Type.String({ description: 'the comment on the issue, or the message in the chat, that holds the answer' }),
  ),
  delivery_id: Type.Optional(Id),
  run_id: Type.Optional(Type.String({ description: 'the run that goes on with the answer' })),
  dispatch_state: Type.Optional(Type.String({ description: 'dispatched, or queued while other runs take all places' })),
  event_id: Type.Optional(Type.String({ description: 'of the event on the issue, else of the journal entry' })),
  seq: Type.Optional(
    Type.Integer({ description: "the event's place among those of the issue, else the entry's place in the journal" }),
  ),
})

/** Agents that ask a human and wait without a program. Contract, supporting domain, section 7.4. */
export const asks = {
  park: post('/internal/sessions/park', {
    summary: 'Ask a person, and leave the run until there is an answer',
    access: 'internal',
    agent: {
      route: '/ask-human',
      tool: 'ask_human',
      says:
        'Ask a person what only a person can know or decide, however long that takes. It ends your program, and ' +
        'the commands that you left running; once there is an answer you go on with it, knowing all that you know ' +
        'now. For what need not hold you up longer than five minutes use escalate.',
      members: {
        question: 'The question, so that it can be answered without knowing your work',
        context: 'What one must know to answer: what you found, the options, what you would do. Markdown',
      },
      rate: { agent: 6, crew: 30 },
    },
    status: 202,
    body: Type.Object({
      workspace_id: Ref,
      crew_id: Ref,
      agent_id: Ref,
      run_id: Type.Optional(nullable(Ref)),
      call_id: Type.Optional(Type.String({ maxLength: 100, description: 'the same for the same call' })),
      question: Type.String({ minLength: 1, maxLength: 4000, pattern: '^[^\\u0000]*$' }),
      context: Type.Optional(prose(16_000)),
    }),
    reply: Type.Object({ status: Type.String({ description: 'parked' }), session_id: Id, inbox_item_id: Id }),
    journal: ['run.parked'],
    throws: ['not_found', 'run_gone'],
  }),
}

export const acts = {
  act: post('/inbox/:itemId/act', {
    summary: 'Answer an agent that waits for a person, take its work over, or dismiss it',
    access: 'MEMBER',
    scope: 'agents:write',
    status: 200,
    bodyLimit: 64 * 1024,
    body: Type.Object({
      action: Type.Enum([...inboxActions]),
      input: Type.Optional(prose(60_000)),
    }),
    reply: Type.Object({
      id: Id,
      state: Type.String({ description: 'resolved' }),
      action: Type.Enum([...inboxActions]),
      receipt: Receipt,
    }),
    journal: [
      'chat.user_message',
      'mission.comment',
      'mission.status_change',
      'mission.assigned',
      'run.resumed',
      'run.cancelled',
      'audit.entity_updated',
    ],
    throws: ['not_found', 'not_actionable', 'already_acted', 'run_gone', 'answer_undeliverable', 'unavailable'],
  }),
}
