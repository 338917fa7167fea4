import { Type } from 'typebox'
import { audit, Changed, entry } from './define.ts'
import { named } from './quote.ts'

const Failures = Type.Object({ consecutive_failures: Type.Integer() })
const Missed = Type.Object({
  missed_count: Type.Integer({ description: 'Occurrences of which none began; more are not counted past 1000' }),
  since: Type.String({ description: 'When the first of them was due' }),
})
const Skipped = Type.Object({
  due_at: Type.String(),
  reason: Type.String({ description: 'chat_busy: the run before it goes on; otherwise why the agent may not work' }),
})
const Accepted = Type.Object({
  event: Type.Optional(Type.String()),
  source: Type.Optional(Type.String()),
  run_id: Type.String({ description: 'The run that it becomes once those before it are over' }),
})
const Dropped = Type.Object({ run_id: Type.String(), reason: Type.String() })

const times = (count: number) => `${count} ${count === 1 ? 'time' : 'times'}`

export const triggerFacts = {
  'agent.webhook_rotated': audit(
    'audit.entity_updated',
    'agent',
    Changed,
    (_, { actor, agent }) => `${actor} gave agent ${agent} a new webhook secret`,
  ),
  'agent.webhook_accepted': entry(
    'agent.webhook_accepted',
    'info',
    Accepted,
    ({ event }, { agent }) => `A webhook called ${agent}${event ? `: ${named(event)}` : ''}`,
  ),
  'agent.webhook_dropped': entry(
    'agent.webhook_dropped',
    'warn',
    Dropped,
    (_, { agent }) => `${agent} could not begin what a webhook asked for`,
  ),
  'agent.schedule_missed': entry(
    'agent.schedule_missed',
    'warn',
    Missed,
    ({ missed_count }, { agent }) => `${agent}'s schedule was due ${times(missed_count)} while Muster was not running`,
  ),
  'agent.schedule_skipped': entry('agent.schedule_skipped', 'info', Skipped, ({ reason }, { agent }) =>
    reason === 'chat_busy'
      ? `${agent}'s schedule was due while its run before went on`
      : `${agent}'s schedule was due while it may not work`,
  ),
  'agent.schedule_tripped': entry(
    'agent.schedule_tripped',
    'error',
    Failures,
    ({ consecutive_failures }, { agent }) =>
      `${agent}'s schedule was switched off: its runs failed ${times(consecutive_failures)} in a row`,
  ),
}
