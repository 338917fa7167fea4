import { Type } from 'typebox'
import { nullable, Time } from './fields.ts'

const text = Type.String()
const maybe = nullable(text)
const at = nullable(Time)

const invitation = {
  id: text,
  workspace_id: text,
  workspace_name: text,
  email: text,
  role: text,
  status: text,
  created_at: Time,
  expires_at: Time,
  ended_at: at,
}

/**
 * What is stored of a person, for that person. No hash, no secret, and of other people no more than the person wrote
 * down.
 */
export const PersonalData = Type.Object({
  format: Type.Literal('muster-personal-data-1'),
  exported_at: Time,
  profile: Type.Object({
    id: text,
    email: text,
    full_name: maybe,
    avatar_url: maybe,
    created_at: Time,
    updated_at: Time,
    email_verified_at: at,
    onboarding_completed: Type.Boolean(),
    has_password: Type.Boolean(),
    failed_login_count: Type.Integer(),
    last_failed_login_at: at,
    locked_until: at,
    two_factor_at: at,
  }),
  avatar: nullable(Type.Object({ media_type: text, bytes: Type.Integer(), base64: text })),
  preferences: Type.Record(text, Type.Unknown()),
  notification_hours: nullable(
    Type.Object({
      time_zone: text,
      quiet_from: maybe,
      quiet_until: maybe,
      digest_at: maybe,
      urgent_waits: Type.Boolean(),
      updated_at: Time,
    }),
  ),
  memberships: Type.Array(
    Type.Object({
      workspace_id: text,
      workspace_name: text,
      workspace_slug: text,
      role: text,
      capabilities: nullable(Type.Array(text)),
      created_at: Time,
    }),
  ),
  crew_memberships: Type.Array(
    Type.Object({ crew_id: text, crew_name: text, workspace_id: text, role: maybe, created_at: Time }),
  ),
  sessions: Type.Array(
    Type.Object({
      id: text,
      created_at: Time,
      last_used_at: Time,
      expires_at: Time,
      revoked_at: at,
      revoked_reason: maybe,
      user_agent: maybe,
      ip: maybe,
      factor_at: at,
    }),
  ),
  cli_tokens: Type.Array(
    Type.Object({
      id: text,
      name: text,
      tier: text,
      scopes: nullable(Type.Array(text)),
      created_at: Time,
      expires_at: at,
      last_used_at: at,
      revoked_at: at,
    }),
  ),
  cli_token_uses: Type.Object({
    total: Type.Integer(),
    newest: Type.Array(
      Type.Object({ token_id: text, used_at: Time, remote_addr: maybe, user_agent: maybe, path: maybe }),
    ),
  }),
  linked_accounts: Type.Array(
    Type.Object({ provider: text, provider_account_id: text, email: maybe, created_at: Time, last_used_at: Time }),
  ),
  pairings: Type.Array(
    Type.Object({ id: text, status: text, adapter_hint: maybe, created_at: Time, expires_at: Time, consumed_at: at }),
  ),
  mailed_links: Type.Array(Type.Object({ purpose: text, created_at: Time, expires_at: Time })),
  invitations_received: Type.Array(Type.Object(invitation)),
  invitations_sent: Type.Array(Type.Object(invitation)),
  rooms: Type.Array(
    Type.Object({
      room_id: text,
      workspace_id: text,
      kind: text,
      title: maybe,
      role: text,
      joined_at: Time,
      last_read_seq: Type.Integer(),
    }),
  ),
  room_messages: Type.Object(
    {
      total: Type.Integer(),
      newest: Type.Array(Type.Object({ room_id: text, seq: Type.Integer(), content: text, created_at: Time })),
    },
    { description: 'What the person said in rooms' },
  ),
  peer_cards: Type.Array(
    Type.Object({
      workspace_id: text,
      agent_id: text,
      agent_name: text,
      content: text,
      created_at: Time,
      updated_at: Time,
    }),
    { description: 'What agents keep about the person' },
  ),
})
