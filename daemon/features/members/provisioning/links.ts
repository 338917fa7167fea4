import { hash as digest, randomBytes } from 'node:crypto'
import { type App, wholeSeconds } from '#kernel/app'
import type { Actor } from '#kernel/feature'
import { newId } from '#kernel/ids'
import { queries } from './queries.ts'

const lifetimeMs = 7 * 86_400_000

/** The link with which an account is set up. One at a time: an older one ends. Within a change. */
export function newLink(
  { db, clock, config }: App,
  { id: by }: Actor,
  user: string,
  now: string,
): { setup_url: string; expires_at: string } {
  const token = randomBytes(32).toString('hex')
  const expires_at = wholeSeconds(Date.parse(now) + lifetimeMs)
  queries(db).dropTokens.run(user)
  queries(db).insertToken.run({ id: newId(clock()), user, by, hash: digest('sha256', token, 'hex'), now, expires_at })
  return { setup_url: `${new URL(config.publicUrl).origin}/reset-password?token=${token}`, expires_at }
}

/**
 * Ends the links that a user handed over who may make members no more: whoever follows one is a member. Within a
 * change.
 */
export const withdrawLinksBy = ({ db }: App, { workspace }: Actor, by: string): void =>
  void queries(db).dropIssued.run({ by, workspace })
