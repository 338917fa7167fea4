import { Type } from 'typebox'
import { autonomyLevels } from '../policies.ts'
import { entry } from './define.ts'
import { named, quoted } from './quote.ts'

const text = Type.String()
const optional = Type.Optional

const about = {
  assignment_id: text,
  target_slug: text,
  from_name: Type.String({ description: 'The agent that gave the work' }),
  task: text,
}
const Told = Type.Object(about)
const Created = Type.Object({
  ...about,
  depth: Type.Integer(),
  approval_id: optional(text),
  policy_action: optional(Type.Literal('assignment_create')),
  policy_verdict: optional(Type.Enum(['ask', 'inbox', 'notice', 'journal'])),
  autonomy_level: optional(Type.Enum([...autonomyLevels])),
})
const Ended = Type.Object({ ...about, exit_code: optional(Type.Integer()), error_message: optional(text) })
const Refused = Type.Object({
  target_slug: text,
  target_name: text,
  limit: Type.Enum(['assignments.max_depth', 'assignments.max_fan_out']),
  most: Type.Integer(),
})

const because = (reason: string | undefined) => (reason ? `: ${quoted(reason)}` : '')

export const assignmentFacts = {
  'assignment.created': entry(
    'assignment.created',
    'info',
    Created,
    ({ from_name, task, approval_id }, { agent }) =>
      `${named(from_name)} ${approval_id ? 'wants to give' : 'gave'} work to ${agent}: ${quoted(task)}`,
  ),
  'assignment.queued': entry(
    'assignment.queued',
    'info',
    Told,
    ({ from_name, task }, { agent }) =>
      `What ${named(from_name)} gave to ${agent} waits for a place in the crew: ${quoted(task)}`,
  ),
  'assignment.running': entry(
    'assignment.running',
    'info',
    Told,
    ({ from_name, task }, { agent }) => `${agent} works on what ${named(from_name)} gave it: ${quoted(task)}`,
  ),
  'assignment.completed': entry(
    'assignment.completed',
    'info',
    Ended,
    ({ from_name, task }, { agent }) => `${agent} finished what ${named(from_name)} gave it: ${quoted(task)}`,
  ),
  'assignment.failed': entry(
    'assignment.failed',
    'warn',
    Ended,
    ({ from_name, error_message }, { agent }) =>
      `${agent} failed at what ${named(from_name)} gave it${because(error_message)}`,
  ),
  'assignment.cancelled': entry(
    'assignment.cancelled',
    'info',
    Ended,
    ({ from_name, error_message }, { agent }) =>
      `What ${named(from_name)} gave to ${agent} was cancelled${because(error_message)}`,
  ),
  'assignment.refused': entry(
    'assignment.refused',
    'warn',
    Refused,
    ({ target_name, limit, most }, { agent }) =>
      `${agent} may not give work to ${named(target_name)}: the limit ${limit} is ${most}`,
  ),
  'queue.sweeper_pumped': entry(
    'queue.sweeper_pumped',
    'notice',
    Type.Object({ started: Type.Integer(), queued: Type.Integer() }),
    ({ started, queued }, { crew }) =>
      `${started === 1 ? '1 assignment that waited' : `${started} assignments that waited`} in crew ${crew} ` +
      `${started === 1 ? 'was' : 'were'} started; ${queued} left`,
  ),
}
