import type { Static } from 'typebox'
import {
  type CredentialDraft,
  type CredentialPatch,
  type CredentialProvider,
  type CredentialType,
  type credentialStatuses,
  deliveries,
  maxValueBytes,
  modelProviders,
} from '#contract/credentials'
import { blankToNull, cleanName } from '#kernel/http/fields'
import { problem } from '#kernel/problem'
import type { CredentialRow } from './queries.ts'

type Body = Static<typeof CredentialDraft> | Static<typeof CredentialPatch>

/** What a person decides of a credential, its value aside. */
export interface CredentialMembers {
  name: string
  type: CredentialType
  provider: CredentialProvider
  description: string | null
  scope: 'WORKSPACE' | 'CREW'
  crew_ids: string[]
  tags: string[]
  security_level: number
  account_label: string | null
  account_email: string | null
  token_expires_at: string | null
}

const blank: CredentialMembers = {
  name: '',
  type: 'SECRET',
  provider: 'NONE',
  description: null,
  scope: 'WORKSPACE',
  crew_ids: [],
  tags: [],
  security_level: 1,
  account_label: null,
  account_email: null,
  token_expires_at: null,
}

export const memberNames: readonly string[] = [...Object.keys(blank), 'value']

const refuse = (field: string, detail: string) => problem('invalid_field', { field, detail })

/** The credential after a create (no `before`) or a change; refuses what does not fit together. */
export function merge(body: Body, before: CredentialMembers = blank): CredentialMembers {
  const next = { ...before }
  if (body.name !== undefined) next.name = cleanName('name', body.name, { min: 1, max: 255, unit: 'characters' })
  if (body.type !== undefined) next.type = body.type
  if (body.provider !== undefined) next.provider = body.provider
  for (const name of ['description', 'account_label', 'account_email'] as const)
    if (body[name] !== undefined) next[name] = blankToNull(body[name])
  if (body.tags !== undefined)
    next.tags = [...new Set(body.tags.map((tag) => tag.normalize('NFC').trim()).filter(Boolean))]
  if (body.security_level !== undefined) next.security_level = body.security_level ?? 1
  if (body.token_expires_at !== undefined) next.token_expires_at = time(body.token_expires_at)
  checkDelivery(next, body)
  return { ...next, ...reach(body, next) }
}

function checkDelivery({ type, provider }: CredentialMembers, body: Body): void {
  const delivery = deliveries[type]
  if (!delivery)
    throw refuse(
      'type',
      `type ${type} is not supported by this version yet; it takes ${Object.keys(deliveries).join(', ')}`,
    )
  const known = modelProviders[type]
  if (!known || known.includes(provider)) return
  const field = body.provider === undefined && body.type !== undefined ? 'type' : 'provider'
  throw refuse(
    field,
    `${type} reaches the models of ${known.join(', ')}; store a key for ` +
      `${provider === 'NONE' ? 'anything else' : provider} as SECRET, which agents get as a file`,
  )
}

function reach(body: Body, { scope, crew_ids }: CredentialMembers): Pick<CredentialMembers, 'scope' | 'crew_ids'> {
  const wanted = body.scope ?? scope
  if (wanted === 'WORKSPACE') {
    if (body.crew_ids?.length) throw refuse('crew_ids', 'crew_ids belong to a credential of scope CREW')
    return { scope: wanted, crew_ids: [] }
  }
  const crews = [...new Set(body.crew_ids ?? crew_ids)]
  if (!crews.length) throw refuse('crew_ids', 'A credential of scope CREW needs at least one crew')
  return { scope: wanted, crew_ids: crews }
}

/** Whole seconds of UTC, as stored times have. */
function time(given: string | null): string | null {
  const text = blankToNull(given)
  if (text === null) return null
  const at = /^\d{4}-\d{2}-\d{2}[Tt]\d{2}:\d{2}:\d{2}(\.\d+)?([Zz]|[+-]\d{2}:\d{2})$/.test(text)
    ? Date.parse(text)
    : Number.NaN
  // Past these, a time has no four-digit year.
  if (!(at >= 0 && at < Date.parse('9999-12-31T23:59:59Z')))
    throw refuse('token_expires_at', 'token_expires_at must be an RFC 3339 time such as 2030-01-31T12:00:00Z')
  return `${new Date(at).toISOString().slice(0, 19)}Z`
}

/**
 * The value as it is stored. A key or token goes into a header, so it loses the line end that pasting adds and nothing
 * else may be in it.
 */
export function cleanValue(type: CredentialType, given: string): string {
  const inHeader = deliveries[type] === 'model' || deliveries[type] === 'server'
  const value = inHeader ? given.trim() : given
  if (value === '' || Buffer.byteLength(value) > maxValueBytes)
    throw refuse('value', `value must have 1 to ${maxValueBytes} bytes`)
  if (inHeader && !/^[\x21-\x7e]+$/.test(value))
    throw refuse('value', 'value must be printable ASCII without spaces, as keys and tokens are')
  if (/\0|\p{Surrogate}/u.test(value)) throw refuse('value', 'value holds characters that no file can keep')
  return value
}

/** The status as clients see it: time itself ends some states. */
export function statusOf(
  { status, token_expires_at, cooldown_until }: Pick<CredentialRow, 'status' | 'token_expires_at' | 'cooldown_until'>,
  now: number,
): (typeof credentialStatuses)[number] {
  if (status !== 'ACTIVE') return status
  if (token_expires_at && Date.parse(token_expires_at) <= now) return 'EXPIRED'
  return cooldown_until && Date.parse(cooldown_until) > now ? 'RATE_LIMITED' : 'ACTIVE'
}
