import { Type } from 'typebox'
import { audit } from './define.ts'
import { quoted } from './quote.ts'

const Given = Type.Object({ user_id: Type.String(), toolkits: Type.Array(Type.String()) })
const list = (toolkits: readonly string[]) => (toolkits.length ? toolkits.map(quoted).join(', ') : 'nothing')

/** The provider of managed integrations. docs/managed-integrations.md. */
export const managedFacts = {
  'managed_settings.updated': audit(
    'audit.entity_updated',
    'managed_settings',
    Type.Object({ label: Type.Optional(Type.String()) }),
    (_, { actor }) => `The key for managed integrations was set by ${actor}`,
  ),
  'managed_settings.deleted': audit(
    'audit.entity_deleted',
    'managed_settings',
    Type.Object({}),
    (_, { actor }) => `The key for managed integrations was deleted by ${actor}`,
  ),
  'managed_default.updated': audit(
    'audit.entity_updated',
    'managed_default',
    Given,
    (it, { actor }) => `The default connector was set to user ${quoted(it.metadata.user_id)} by ${actor}`,
  ),
  'managed_grant.updated': audit(
    'audit.entity_updated',
    'managed_grant',
    Given,
    (it, { actor, agent }) =>
      `${agent} was given ${list(it.metadata.toolkits)} of user ${quoted(it.metadata.user_id)} by ${actor}`,
  ),
  'managed_grant.deleted': audit(
    'audit.entity_deleted',
    'managed_grant',
    Type.Object({ toolkits: Type.Array(Type.String()) }),
    (it, { actor, agent }) => `${list(it.metadata.toolkits)} was taken from ${agent} by ${actor}`,
  ),
  'managed_account.created': audit(
    'audit.entity_created',
    'managed_account',
    Type.Object({ user_id: Type.String(), toolkit: Type.String() }),
    (it, { actor }) =>
      `${actor} began to connect ${quoted(it.metadata.toolkit)} for user ${quoted(it.metadata.user_id)}`,
  ),
  'managed_account.updated': audit(
    'audit.entity_updated',
    'managed_account',
    Type.Object({ done: Type.Enum(['revoked', 'refreshed']) }),
    (it, { actor }) => `The connected account ${quoted(it.entity_id)} was ${it.metadata.done} by ${actor}`,
  ),
  'managed_account.deleted': audit(
    'audit.entity_deleted',
    'managed_account',
    Type.Object({}),
    (it, { actor }) => `The connected account ${quoted(it.entity_id)} was deleted by ${actor}`,
  ),
  'managed_trigger.created': audit(
    'audit.entity_created',
    'managed_trigger',
    Type.Object({ slug: Type.String(), user_id: Type.String() }),
    (it, { actor }) =>
      `The trigger ${quoted(it.metadata.slug)} was created for user ${quoted(it.metadata.user_id)} by ${actor}`,
  ),
}
