import { Type } from 'typebox'
import { audit, audits } from './define.ts'
import { named, quoted } from './quote.ts'

const Grant = Type.Object({ channel_id: Type.String(), agent_slug: Type.String() })
const Toggle = Type.Object({ enabled: Type.Boolean() })

/** Channels of notifications; their name says what kind they are. docs/notifications.md. */
export const channelFacts = {
  ...audits('notification_channel', 'The channel', quoted),
  'notification_channel.agent_allowed': audit(
    'audit.entity_created',
    'notification_channel_agent',
    Grant,
    ({ name, metadata }, { actor }) =>
      `${actor} lets agent ${named(metadata.agent_slug)} send through the channel ${quoted(name)}`,
  ),
  'notification_channel.agent_denied': audit(
    'audit.entity_deleted',
    'notification_channel_agent',
    Grant,
    ({ name, metadata }, { actor }) =>
      `${actor} no longer lets agent ${named(metadata.agent_slug)} send through the channel ${quoted(name)}`,
  ),
  'notification_provider.updated': audit(
    'audit.entity_updated',
    'notification_provider',
    Toggle,
    ({ name, metadata }, { actor }) =>
      `${actor} ${metadata.enabled ? 'allowed' : 'forbade'} new channels to ${named(name)} on this server`,
  ),
}
