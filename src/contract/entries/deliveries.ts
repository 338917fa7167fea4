import { type Static, Type } from 'typebox'
import { audit, entry } from './define.ts'
import { quoted } from './quote.ts'

const Outcome = Type.Object({
  delivery_id: Type.String(),
  channel_id: Type.String(),
  channel: Type.String({ description: 'What kind of channel' }),
  user_id: Type.Optional(Type.String({ description: 'Without: for whoever reads the channel' })),
  category: Type.String(),
  title: Type.String(),
  reason: Type.Optional(Type.String()),
})
type Told = Static<typeof Outcome>

const through = ({ channel, title }: Told) => `${quoted(title)} through the channel ${quoted(channel)}`
const because = ({ reason }: Told) => (reason ? `: ${quoted(reason)}` : '')

/** What became of messages that channels were to take. They tell nobody. docs/notifications.md. */
export const deliveryFacts = {
  'notification.delivered': entry('notification.delivered', 'info', Outcome, (it) => `Told ${through(it)}`),
  'notification.failed': entry(
    'notification.failed',
    'warn',
    Outcome,
    (it) => `Could not tell ${through(it)}${because(it)}`,
  ),
  'notification.dropped': entry(
    'notification.dropped',
    'info',
    Outcome,
    (it) => `Did not tell ${through(it)}${because(it)}`,
  ),
  'notification_channel.paused': audit(
    'audit.entity_updated',
    'notification_channel',
    Type.Object({ reason: Type.String(), owner: Type.Union([Type.String(), Type.Null()]) }),
    ({ name, metadata }) =>
      `The channel ${quoted(name)} was paused, since it has failed for an hour: ${quoted(metadata.reason)}`,
    { severity: 'warn', action: 'pause' },
  ),
}
