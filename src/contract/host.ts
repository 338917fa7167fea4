import { type Static, Type } from 'typebox'
import { Email, line, nullable, Time } from './fields.ts'
import { Verdict } from './journal.ts'
import type { Problem } from './problems.ts'
import { roles } from './roles.ts'

const limit = Type.Integer({ minimum: 1, maximum: 100_000, default: 100 })

const HostUser = Type.Object({
  id: Type.String(),
  email: Type.String(),
  full_name: nullable(Type.String()),
  /** In the first workspace of the server, whose owners own the server. */
  home_role: nullable(Type.Enum([...roles])),
  workspaces: Type.Integer(),
  locked_until: nullable(Time),
  last_sign_in_at: nullable(Time),
  two_factor: Type.Boolean(),
  created_at: Time,
})
export type HostUser = Static<typeof HostUser>

const HostSession = Type.Object({
  id: Type.String(),
  email: Type.String(),
  created_at: Time,
  last_used_at: Time,
  expires_at: Time,
  revoked_at: nullable(Time),
  revoked_reason: nullable(Type.String()),
  ip: nullable(Type.String()),
  user_agent: nullable(Type.String()),
})
export type HostSession = Static<typeof HostSession>

/**
 * What `muster admin` asks of the `musterd` of its own machine, and what that answers: one JSON document each way, over
 * standard input and output. Nothing of it can be asked over a network.
 */
export const host = {
  'list-users': {
    asks: Type.Object({ locked_only: Type.Optional(Type.Boolean()), limit }),
    answers: Type.Object({ users: Type.Array(HostUser), total: Type.Integer() }),
  },
  'list-sessions': {
    asks: Type.Object({ email: Type.Optional(Email), active_only: Type.Optional(Type.Boolean()), limit }),
    answers: Type.Object({ sessions: Type.Array(HostSession), total: Type.Integer() }),
  },
  promote: {
    asks: Type.Object({ email: Email, role: Type.Enum([...roles]), workspace: Type.Optional(line(100)) }),
    answers: Type.Object({
      email: Type.String(),
      workspace: Type.String(),
      role: Type.Enum([...roles]),
      previous_role: nullable(Type.Enum([...roles])),
      changed: Type.Boolean(),
    }),
  },
  'reset-password': {
    asks: Type.Object({ email: Email, password: Type.String(), disable_two_factor: Type.Optional(Type.Boolean()) }),
    answers: Type.Object({
      email: Type.String(),
      unlocked: Type.Boolean(),
      sessions: Type.Integer(),
      /** Still asked for after the change. */
      two_factor: Type.Boolean(),
      two_factor_disabled: Type.Boolean(),
    }),
  },
  'invalidate-sessions': {
    asks: Type.Object({ email: Type.Optional(Email), tokens: Type.Optional(Type.Boolean()) }),
    answers: Type.Object({ users: Type.Integer(), sessions: Type.Integer(), tokens: Type.Integer() }),
  },
  'verify-journal': {
    asks: Type.Object({}),
    answers: Type.Object({
      valid: Type.Boolean(),
      /** Of all workspaces that ever had one, in their order; `slug` is null of those that are gone. */
      journals: Type.Array(
        Type.Object({ workspace_id: Type.String(), slug: nullable(Type.String()), ...Verdict.properties }),
      ),
      /** Places in the order of all entries that belong to no workspace, or are empty. */
      stray: Type.Integer(),
    }),
  },
}

export type HostVerb = keyof typeof host
export type HostAsk<V extends HostVerb> = Static<(typeof host)[V]['asks']>
export type HostReply<V extends HostVerb> = Static<(typeof host)[V]['answers']>

/** What comes back: the reply, a problem as the service would state it, or why nothing could be done here. */
export type HostAnswer<V extends HostVerb> =
  | { reply: HostReply<V> }
  | { problem: Static<typeof Problem> }
  | { refusal: { code: string; message: string; next?: string } }
