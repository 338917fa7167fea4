import { Type } from 'typebox'
import { del, get, post } from './define.ts'
import { line, nullable, page, Time } from './fields.ts'
import { scopes } from './roles.ts'

export const tiers = ['STANDARD', 'ADMIN'] as const
export type Tier = (typeof tiers)[number]

const Tier = Type.Enum([...tiers])
const Scopes = Type.Array(Type.Enum([...scopes]), { minItems: 1, maxItems: 50 })

const described = {
  id: Type.String(),
  name: Type.String(),
  tier: Tier,
  created_at: Time,
  expires_at: Type.Optional(Time),
  scopes: Type.Optional(Scopes),
}

/** A token as lists show it; the raw value is never among them. */
export const Token = Type.Object({
  ...described,
  last_used_at: Type.Optional(Time),
  revoked_at: Type.Optional(Time),
})

const Minted = Type.Object({ token: Type.String({ description: 'Shown this once' }), ...described })

/** One request that was made with an administrative token. */
export const TokenUse = Type.Object({
  used_at: Time,
  remote_addr: nullable(Type.String()),
  user_agent: nullable(Type.String()),
  path: nullable(Type.String({ description: 'Without its query' })),
})

/** Uses of administrative tokens are kept that long. */
export const usesKeptDays = 90

export const tokens = {
  create: post('/auth/cli-token', {
    secrets: ['token'],
    summary: 'Make a token for a device or a program',
    access: 'signed-in',
    stepUp: true,
    rate: 'auth',
    status: 200,
    body: Type.Object({
      name: Type.Optional(line(100)),
      tier: Type.Optional(
        Type.String({
          pattern: '^([Ss][Tt][Aa][Nn][Dd][Aa][Rr][Dd]|[Aa][Dd][Mm][Ii][Nn])$',
          description: 'STANDARD or ADMIN',
        }),
      ),
      expires_in_seconds: Type.Optional(
        Type.Integer({ minimum: 0, maximum: 3_153_600_000, description: 'Lifetime; 0 for the usual one of the tier' }),
      ),
      scopes: Type.Optional(Scopes),
    }),
    bodyOptional: true,
    reply: Minted,
    journal: ['audit.entity_created'],
    throws: ['admin_tokens_unavailable'],
  }),
  list: get('/auth/cli-tokens', {
    summary: 'List your tokens, revoked ones included, newest first',
    access: 'signed-in',
    query: Type.Object(page),
    reply: Type.Object({ data: Type.Array(Token) }),
  }),
  validate: get('/auth/cli-token/validate', {
    summary: 'Say whose token this is and how far it reaches',
    access: 'signed-in',
    reply: Type.Object({
      valid: Type.Boolean(),
      id: Type.Optional(Type.String({ description: 'Of the token; left out for a browser session' })),
      user_id: Type.String(),
      user_email: Type.String(),
      expires_at: Type.Optional(Time),
      tier: Type.Optional(Tier),
      scopes: Type.Optional(Scopes),
    }),
  }),
  /** Beyond the contract: replacing a token as one change cannot leave none, or two. */
  rotate: post('/auth/cli-tokens/:tokenId/rotate', {
    secrets: ['token'],
    summary: 'Replace a token of yours by a new one that reaches as far and lasts as long',
    access: 'signed-in',
    stepUp: true,
    status: 200,
    body: Type.Object({ name: Type.Optional(line(100)) }),
    bodyOptional: true,
    reply: Minted,
    journal: ['audit.entity_created', 'audit.entity_deleted'],
    throws: ['not_found', 'token_ended', 'admin_tokens_unavailable'],
  }),
  uses: get('/auth/cli-tokens/:tokenId/uses', {
    summary: 'List what an administrative token of yours was used for, newest first',
    access: 'signed-in',
    query: Type.Object(page),
    reply: Type.Array(TokenUse),
    throws: ['not_found'],
  }),
  revoke: del('/auth/cli-tokens/:tokenId', {
    summary: 'Revoke a token of yours',
    access: 'signed-in',
    status: 200,
    reply: Type.Object({ status: Type.String() }),
    journal: ['audit.entity_deleted'],
    throws: ['not_found'],
  }),
}
