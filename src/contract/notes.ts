import { Type } from 'typebox'
import { post } from './define.ts'
import { nullable, Ref } from './fields.ts'

export const noteKinds = ['steer', 'collision'] as const
export type NoteKind = (typeof noteKinds)[number]

/** Characters of a note, and of all that one call hands over: clients show a model no more of what a hook says. */
export const noteLimit = 8000

const caller = {
  workspace_id: Ref,
  crew_id: Ref,
  agent_id: Ref,
  run_id: Type.Optional(nullable(Ref)),
}

/** Asked after each step of an agent, of which none takes ten a second for long. */
const rate = { agent: 600, crew: 2400 }

/** What a running agent is told between two of its steps. docs/rules/chats.md, "Steering". */
export const notes = {
  take: post('/internal/notes', {
    summary: 'Hand over what waits for an agent in its run',
    access: 'internal',
    agent: { route: '/notes', rate },
    status: 200,
    body: Type.Object({ ...caller, call_id: Type.Optional(Type.String({ minLength: 1, maxLength: 100 })) }),
    reply: Type.Object({
      receipt: nullable(Type.String({ description: 'To be acknowledged; null when nothing waits' })),
      text: Type.String(),
    }),
    journal: [],
    throws: ['not_found', 'rate_limited'],
  }),
  acknowledge: post('/internal/notes/taken', {
    summary: 'Say that the agent has what was handed over',
    access: 'internal',
    agent: { route: '/notes/taken', rate },
    status: 200,
    body: Type.Object({ ...caller, receipt: Type.String({ minLength: 1, maxLength: 100 }) }),
    reply: Type.Object({ taken: Type.Integer() }),
    journal: ['run.note_taken'],
    throws: ['not_found', 'rate_limited'],
  }),
}
