import type { Static } from 'typebox'
import { fact, type Payload } from '#contract/entries'
import type { Scope } from '#contract/roles'
import { type Tier, type Token, type TokenUse, type tokens, usesKeptDays } from '#contract/tokens'
import { type App, wholeSeconds } from '#kernel/app'
import { adminKeyOf, hashToken, newToken } from '#kernel/auth/authenticator'
import { homeRoleOf } from '#kernel/auth/home'
import type { Actor, Call } from '#kernel/feature'
import { requireHeld } from '#kernel/http/admit'
import { pageOf } from '#kernel/http/fields'
import { newId } from '#kernel/ids'
import { audienceOf, bySystem, byUser, journalForUser } from '#kernel/journal/about-user'
import { problem } from '#kernel/problem'
import { rolesOf } from '../members/service.ts'
import { find as findUser } from '../users/service.ts'
import { queries, type Row } from './queries.ts'
import { adminLifetime, beyondRole, beyondScopes, endOf } from './rules.ts'

type Shown = Static<typeof Token>

/** What a token looks like to its owner; members without a value are left out. */
function present({ scopes_json, expires_at, last_used_at, revoked_at, ...row }: Row): Shown {
  return {
    ...row,
    ...(expires_at && { expires_at }),
    ...(last_used_at && { last_used_at }),
    ...(revoked_at && { revoked_at }),
    ...(scopes_json && { scopes: JSON.parse(scopes_json) as Scope[] }),
  }
}

interface Draft {
  user: string
  name: string
  tier?: Tier
  scopes?: readonly string[] | null
  expires_at?: string | null
  /** How the token was created, for the journal. */
  via: Payload<'cli_token.created'>['metadata']['via']
  /** Id of the token that it takes the place of. */
  replaces?: string
  adapter_hint?: string | null
  now: string
}

/** Makes a token. The raw value exists in the answer and nowhere else. */
export function mint(
  app: App,
  { user, name, tier = 'STANDARD', scopes = null, expires_at = null, via, adapter_hint, replaces, now }: Draft,
): { raw: string; token: Shown } {
  const raw = newToken(tier)
  const hash = hashToken(raw, adminKeyOf(app.config.adminTokenKey))
  if (!hash)
    throw problem('admin_tokens_unavailable', {
      detail: 'Set SVC_ADMIN_TOKEN_HMAC_KEY (64 hexadecimal characters or more) to use administrative tokens',
    })
  const row = queries(app.db).insert.get({
    id: newId(app.clock()),
    user,
    name,
    hash,
    tier,
    scopes_json: scopes ? JSON.stringify(scopes) : null,
    expires_at,
    now,
  })!
  if (expires_at) app.afterCommit(() => app.bus.emit('token_expires', expires_at))
  const metadata = {
    ...told(app, user, row),
    via,
    ...(adapter_hint && { adapter_hint }),
    ...(replaces && { replaces }),
  }
  journalForUser(app, user, fact('cli_token.created', { entity_id: row.id, name, metadata }, byUser(user)))
  return { raw, token: present(row) }
}

/** What the journals of its user's workspaces tell of a token: it opens all of them. */
const told = (app: App, user: string, { tier, scopes_json, expires_at }: Row) => ({
  user_id: user,
  email: findUser(app, user).email,
  tier,
  ...(scopes_json && { scopes: JSON.parse(scopes_json) as string[] }),
  ...(expires_at && { expires_at }),
})

type Ending = Pick<Payload<'cli_token.deleted'>['metadata'], 'replaced_by' | 'via' | 'reason'>

function recordEnd(app: App, user: string, row: Row, how: Ending = {}, audience = audienceOf(app, user)): void {
  const payload = { entity_id: row.id, name: row.name, metadata: { ...told(app, user, row), ...how } }
  app.journalIn(audience, fact('cli_token.deleted', payload, how.via === 'host' ? bySystem : byUser(user)))
  app.afterCommit(() => end(app, row.id))
}

export function create(app: App, { actor, body = {}, now }: Call<typeof tokens.create>) {
  requireHeld(app, actor)
  const tier = (body.tier?.toUpperCase() ?? 'STANDARD') as Tier
  const wanted = body.expires_in_seconds ?? 0
  if (tier === 'ADMIN' && wanted && wanted < adminLifetime.least)
    throw problem('invalid_field', {
      field: 'expires_in_seconds',
      detail: `An administrative token lasts at least ${adminLifetime.least} s`,
    })
  const scopes = allowedScopes(app, actor, body.scopes && [...new Set(body.scopes)])
  if (tier === 'ADMIN') mayAdministrate(app, actor)
  const expires_at = endFor(actor, tier, wanted, now)
  const { raw, token } = mint(app, {
    user: actor.id,
    name: body.name?.trim() || 'CLI token',
    tier,
    scopes,
    expires_at,
    via: 'request',
    now,
  })
  return { token: raw, ...token }
}

/** When a token ends that is made with this actor's. */
function endFor({ token }: Actor, tier: Tier, wanted: number, now: string): string | null {
  const maker = token?.expires_at ? Date.parse(token.expires_at) / 1000 : null
  const end = endOf({ tier, wanted, now: Date.parse(now) / 1000, maker })
  return end === null ? null : wholeSeconds(end * 1000)
}

/** The scopes of the new token. One made with a scoped token never reaches further than that one. */
function allowedScopes(app: App, actor: Actor, wanted: Scope[] | undefined): readonly string[] | null {
  const held = actor.token?.scopes ?? null
  if (!wanted) return held
  const roles = [...rolesOf(app, actor.id).values()]
  const above = beyondRole(wanted, roles)
  if (above)
    throw problem('insufficient_role', { field: 'scopes', detail: `Your roles do not reach the scope ${above}` })
  const outside = held && beyondScopes(wanted, held)
  if (outside)
    throw problem('insufficient_scope', {
      field: 'scopes',
      detail: `The token that you use does not reach the scope ${outside}`,
    })
  return wanted
}

/** Anyone may make a workspace and own it; administrative tokens are for the owners of the server. */
function mayAdministrate(app: App, actor: Actor): void {
  if (homeRoleOf(app, actor.id) !== 'OWNER')
    throw problem('insufficient_role', {
      field: 'tier',
      detail: 'Only an owner of the first workspace of this server may make administrative tokens',
    })
}

export function list({ db }: App, { actor, query }: Call<typeof tokens.list>): { data: Shown[] } {
  const { limit, offset } = pageOf(query, { fallback: 500 })
  return { data: queries(db).listOf.all(actor.id, limit, offset).map(present) }
}

export function validate({ actor: { id, email, token } }: { actor: Actor }) {
  return {
    valid: true,
    ...(token && { id: token.id }),
    user_id: id,
    user_email: email!,
    ...(token?.expires_at && { expires_at: token.expires_at }),
    ...(token && { tier: token.tier as Tier }),
    ...(token?.scopes && { scopes: token.scopes as Scope[] }),
  }
}

/** Ends a token; one that is revoked already stays as it is. */
export function revoke(app: App, { actor, tokenId, now }: Call<typeof tokens.revoke>): { status: string } {
  const row = queries(app.db).revoke.get({ user: actor.id, id: tokenId, now })
  if (row) recordEnd(app, actor.id, row)
  else if (!queries(app.db).find.get(actor.id, tokenId)) throw problem('not_found', { field: 'tokenId' })
  return { status: 'revoked' }
}

/**
 * A new token in the place of an old one, in one change: two rotations at the same time cannot both win, and a crash
 * leaves one of them.
 */
export function rotate(app: App, { actor, tokenId, body = {}, now }: Call<typeof tokens.rotate>) {
  requireHeld(app, actor)
  const old = queries(app.db).find.get(actor.id, tokenId)
  if (!old) throw problem('not_found', { field: 'tokenId' })
  if (!queries(app.db).revoke.get({ user: actor.id, id: tokenId, now }))
    throw problem('token_ended', { detail: 'That token was revoked already; make a new one' })
  const { tier, scopes_json } = old
  const scopes = scopes_json ? (JSON.parse(scopes_json) as Scope[]) : null
  guardReach(actor, scopes)
  if (tier === 'ADMIN') mayAdministrate(app, actor)
  const wanted = old.expires_at ? (Date.parse(old.expires_at) - Date.parse(old.created_at)) / 1000 : 0
  const name = body.name?.trim() || old.name
  const { raw, token } = mint(app, {
    user: actor.id,
    name,
    tier,
    scopes,
    expires_at: endFor(actor, tier, wanted, now),
    via: 'rotation',
    replaces: tokenId,
    now,
  })
  recordEnd(app, actor.id, old, { replaced_by: token.id })
  return { token: raw, ...token }
}

/** Whoever replaces a token knows the new one: it must not reach further than the one in use. */
function guardReach({ token }: Actor, scopes: readonly Scope[] | null): void {
  const held = token?.scopes
  if (!held) return
  const outside = scopes ? beyondScopes(scopes, held) : '*'
  if (outside)
    throw problem('insufficient_scope', {
      detail: `The token that you use does not reach the scope ${outside} of the old one`,
    })
}

export function uses(app: App, { actor, tokenId, query }: Call<typeof tokens.uses>): Static<typeof TokenUse>[] {
  const { limit, offset } = pageOf(query)
  if (!queries(app.db).find.get(actor.id, tokenId)) throw problem('not_found', { field: 'tokenId' })
  return queries(app.db).uses.all(tokenId, limit, offset)
}

/** Deletes up to `most` uses that are past their retention; returns how many. */
export const forgetOldUses = ({ db, clock }: App, most: number): number =>
  queries(db).forgetUses.run(new Date(clock() - usesKeptDays * 86_400_000).toISOString(), most).changes

/** What a token of this user is narrowed to, or null when it is revoked or has run out. */
export function reachOf(
  { db }: App,
  user: string,
  id: string,
  now: string,
): { scopes: string[] | null; expires_at: string | null } | null {
  const row = queries(db).find.get(user, id)
  if (!row || row.revoked_at || (row.expires_at && row.expires_at <= now)) return null
  return { scopes: row.scopes_json ? (JSON.parse(row.scopes_json) as string[]) : null, expires_at: row.expires_at }
}

/** Ends every token of a user. */
export function revokeAll(app: App, user: string, how: Ending): void {
  const audience = audienceOf(app, user)
  for (const row of queries(app.db).revokeAll.all({ user, now: app.now() })) recordEnd(app, user, row, how, audience)
}

/** Ends what uses a token: the lookup cache, sockets and streams. */
function end(app: App, id: string): void {
  app.auth.forget(id)
  app.bus.emit('revoked', id)
}

/** Ends what ran out after `since`. */
export function endExpired(app: App, since: string): void {
  for (const { id } of queries(app.db).expired.all(since, app.now())) end(app, id)
}

/** When the next token runs out after `since`; null when none does. */
export const nextExpiry = ({ db }: App, since: string): string | null => queries(db).nextExpiry.get(since)!.at
