import { Type } from 'typebox'
import { get } from './define.ts'
import { Id, nullable, Time } from './fields.ts'

const optional = Type.Optional

const Person = Type.Object({ id: Id, name: nullable(Type.String()) })
const maybePerson = nullable(Person)
const asked = nullable(
  Type.String({ description: 'The beginning of what the agent was asked; null where it is not for the caller' }),
)

/** Whatever led to a run, the nearest first. */
const Cause = Type.Object({
  run_id: Id,
  agent_slug: Type.String(),
  trigger_type: Type.String(),
  asked,
  requested_by: maybePerson,
})

const Decision = Type.Object({
  id: Id,
  kind: Type.String(),
  asked,
  state: Type.String(),
  outcome: nullable(Type.String()),
  settled_at: nullable(Type.String()),
  settled_by: maybePerson,
})

const BlamedRun = Type.Object({
  id: Id,
  agent_id: Id,
  agent_name: Type.String(),
  agent_slug: Type.String(),
  status: Type.String(),
  trigger_type: Type.String(),
  started_at: Time,
  chat_id: nullable(Type.String()),
  entry_id: nullable(Type.String({ description: "The journal's entry of its end" })),
  asked,
  requested_by: maybePerson,
  delegated_by: Type.Array(Cause, { description: 'The runs from which it hangs, the nearest first' }),
  decisions: Type.Array(Decision, { description: 'What people were asked in it, and whether it might begin' }),
})

/** How a file was when a run had ended, or a person had saved it. docs/blame.md. */
const Version = Type.Object({
  at: Time,
  certain: Type.Boolean({ description: 'False where another run may have written it instead' }),
  first: Type.Boolean({ description: 'Nothing is known of the file before: its lines may be older' }),
  run: nullable(BlamedRun),
  person: nullable(
    Type.Object({ id: Id, name: nullable(Type.String()) }, { description: 'Who saved it, instead of a run' }),
  ),
})

const lineNumber = (description: string) =>
  optional(Type.Unsafe<number | string>({ type: ['integer', 'string'], description }))

export const blame = {
  show: get('/crews/:crewId/blame', {
    summary: 'Say for each line of a text file which run or person it comes from, who asked for that, and who approved',
    access: 'MANAGER',
    query: Type.Object({
      path: Type.String({
        minLength: 1,
        maxLength: 4096,
        description: "As agents see it, or below the agent's folder, or else below the folders that agents share",
      }),
      agent_id: optional(Type.String({ maxLength: 64, description: 'The agent in whose folder a relative path lies' })),
      from: lineNumber('The first line, 1 unless given'),
      to: lineNumber('The last line'),
    }),
    reply: Type.Object({
      crew_id: Id,
      path: Type.String(),
      state: Type.Enum(['text', 'binary', 'too_large', 'denied', 'deleted'], {
        description: 'Lines are told of `text`, and of the last known text of what was `deleted`',
      }),
      live: Type.Boolean({ description: 'False where the crew does not run, and the last known text is told' }),
      line_count: Type.Integer(),
      versions: Type.Array(Version, { description: 'The oldest first' }),
      hunks: Type.Array(
        Type.Object({
          from: Type.Integer({ description: 'Number of its first line' }),
          version: nullable(
            Type.Integer({ description: 'Place in `versions`; null for what is not on record: changed since' }),
          ),
          certain: Type.Boolean(),
          lines: Type.Array(Type.String()),
        }),
      ),
    }),
    throws: ['not_found', 'invalid_field', 'runtime_unavailable'],
  }),
}
