import { Type } from 'typebox'
import { del, get, put } from './define.ts'

/** Limits that an administrator of the server may change while it runs. docs/rules/http.md, "Rate limits". */
export const limiters = {
  'http.auth_per_min': {
    group: 'http',
    label: 'Sign-in requests',
    description: 'Requests a minute from one address to sign-in, tokens, pairing and first-user endpoints',
    unit: 'requests/min',
    min: 1,
    max: 100_000,
  },
  'http.api_per_min': {
    group: 'http',
    label: 'Other requests',
    description: 'Requests a minute from one address to everything else; valid command-line tokens are not counted',
    unit: 'requests/min',
    min: 1,
    max: 10_000_000,
  },
  'login.lockout_threshold': {
    group: 'login',
    label: 'Lockout threshold',
    description: 'Wrong passwords in a row that lock an account',
    unit: 'attempts',
    min: 1,
    max: 1000,
  },
  'login.lockout_duration_sec': {
    group: 'login',
    label: 'Lockout duration',
    description: 'How long a locked account stays locked',
    unit: 'seconds',
    min: 1,
    max: 86_400,
  },
} as const

export type LimiterKey = keyof typeof limiters
export const limiterKeys = Object.keys(limiters) as LimiterKey[]

export const Limiter = Type.Object({
  key: Type.String(),
  group: Type.String(),
  label: Type.String(),
  display_name: Type.String({ description: 'The same as label' }),
  description: Type.String(),
  unit: Type.String(),
  default: Type.Integer({ description: 'What the configuration says' }),
  min: Type.Integer(),
  max: Type.Integer(),
  value: Type.Integer({ description: 'What is in force' }),
  overridden: Type.Boolean(),
})

const changing = {
  access: 'signed-in',
  scope: 'workspace:admin',
  status: 200,
  reply: Limiter,
  journal: ['audit.entity_updated'],
  throws: ['not_found'],
} as const

/**
 * For ADMIN and OWNER of the server's first workspace alone: anyone may own another one, and these concern everybody.
 */
export const limits = {
  list: get('/admin/rate-limits', {
    summary: 'List the limits of this server that can be changed while it runs',
    access: 'signed-in',
    reply: Type.Object({ limiters: Type.Array(Limiter) }),
  }),
  set: put('/admin/rate-limits/:key', {
    summary: 'Change a limit of this server, at once',
    body: Type.Object({ value: Type.Integer() }),
    ...changing,
  }),
  reset: del('/admin/rate-limits/:key', {
    summary: 'Bring a limit of this server back to what its configuration says',
    ...changing,
  }),
}
