import { Type } from 'typebox'
import { get } from './define.ts'
import { Id, nullable, page, Time } from './fields.ts'

/** `more` stands for what two runs have both written beyond what is listed. */
export const collisionKinds = ['file', 'git_index', 'git_branch', 'more'] as const
export type CollisionKind = (typeof collisionKinds)[number]

/** Things of one pair of runs that are listed one by one. */
export const collisionsOfPair = 20

export const watchStates = ['idle', 'starting', 'watching', 'off'] as const

const maybe = nullable(Type.String())

/** Two runs of different agents that wrote the same thing while both were open. docs/collisions.md. */
export const Collision = Type.Object({
  id: Id,
  crew_id: Id,
  crew_slug: Type.String(),
  kind: Type.Enum([...collisionKinds]),
  path: Type.String({ description: 'As agents see it; empty for `more`' }),
  repository: nullable(Type.String({ description: 'Of an index or a branch: the git work tree' })),
  branch: maybe,
  certain: Type.Boolean({ description: 'False where somebody else may have written it instead' }),
  count: Type.Integer({ description: 'Of `more`: how many; else 1' }),
  first_run_id: Id,
  first_agent_id: Id,
  first_agent_name: Type.String(),
  first_agent_slug: Type.String(),
  first_at: Time,
  second_run_id: Id,
  second_agent_id: Id,
  second_agent_name: Type.String(),
  second_agent_slug: Type.String(),
  second_at: Time,
  summary: Type.String({ description: 'What happened, as a sentence' }),
  created_at: Time,
})

const text = (description: string) => Type.Optional(Type.String({ description }))

export const collisions = {
  list: get('/collisions', {
    summary: 'List where two agents of a crew wrote the same file while both were at work, newest first',
    access: 'VIEWER',
    query: Type.Object({
      ...page,
      crew_id: text('Of this crew'),
      agent_id: text('With this agent'),
      run_id: text('With this run'),
      chat_id: text('With a run of this chat, or one that it delegated'),
      since: text('RFC 3339, inclusive'),
    }),
    reply: Type.Array(Collision),
    throws: ['invalid_field'],
  }),
  watch: get('/crews/:crewId/collisions/watch', {
    summary: "Show whether a crew's shared folders are watched for collisions, and what is not noticed",
    access: 'VIEWER',
    reply: Type.Object({
      crew_id: Id,
      state: Type.Enum([...watchStates], { description: 'idle: fewer than two agents of the crew are at work' }),
      reason: nullable(Type.String({ description: 'Why it is off' })),
      since: nullable(Type.String({ description: 'Since when the folders are watched' })),
      folders: Type.Integer({ description: 'How many folders are watched' }),
      gaps: Type.Array(Type.Object({ what: Type.String(), says: Type.String() }), {
        description: 'What was not noticed since then',
      }),
    }),
    throws: ['not_found'],
  }),
}
