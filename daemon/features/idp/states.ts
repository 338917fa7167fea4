import { createHmac, hash as digest, randomBytes } from 'node:crypto'
import { type App, wholeSeconds } from '#kernel/app'
import { problem } from '#kernel/problem'
import type { Attempt } from './provider.ts'
import { queries } from './queries.ts'

const lifetime = 15 * 60_000
/** Most concurrent sign-ins. More drop the oldest, so that a flood can neither fill the disk nor lock users out. */
const limit = 10_000

export const newState = (): string => randomBytes(32).toString('base64url')

const hashOf = (value: string): string => digest('sha256', value, 'hex')

/** Nonce and verifier are derived from the state and our key, so they are not stored. */
export function attemptOf({ vault }: App, state: string): Attempt {
  if (!vault) throw problem('encryption_unavailable')
  const key = vault.derive('idp-state')
  const from = (purpose: string) => createHmac('sha256', key).update(`${purpose} ${state}`).digest('base64url')
  return { state, nonce: from('nonce'), verifier: from('verifier') }
}

/** Stores a sign-in that begins. */
export function keepState(
  { db, clock, now }: App,
  { state, browser, redirect }: { state: string; browser: string; redirect: string },
): void {
  const { sweep, trim, keep } = queries(db)
  sweep.run(now())
  trim.run(limit - 1)
  keep.run({ hash: hashOf(state), browser: hashOf(browser), redirect, expires_at: wholeSeconds(clock() + lifetime) })
}

/** Consumes a state of this browser and returns the destination; null for any other state. */
export const burnState = ({ db, now }: App, state: string, browser: string): string | null =>
  queries(db).burn.get({ hash: hashOf(state), browser: hashOf(browser), now: now() })?.redirect ?? null
