import { hash as digest, randomBytes } from 'node:crypto'
import { type App, wholeSeconds } from '#kernel/app'
import { newId } from '#kernel/ids'
import { type Purpose, queries } from './queries.ts'

/** What is stored in place of a token. */
const hashOf = (token: string): string => digest('sha256', token, 'hex')

interface Wanted {
  user: string
  purpose: Purpose
  /** Who hands the link over; null when it is mailed to its owner. */
  by?: string | null
  /** Milliseconds. */
  lifetime: number
}

/** The token of a link with which an account gets a password, once. It takes the place of an older one of its kind. */
export function issueLink(
  { db, clock, now }: App,
  { user, purpose, by = null, lifetime }: Wanted,
): { token: string; expires_at: string } {
  const token = randomBytes(32).toString('hex')
  const expires_at = wholeSeconds(clock() + lifetime)
  queries(db).end.run({ user, purpose })
  queries(db).insert.run({ id: newId(clock()), user, by, hash: hashOf(token), purpose, now: now(), expires_at })
  return { token, expires_at }
}

/** Whether a link with this token could be followed. */
export const isLink = ({ db, now }: App, token: string): boolean =>
  queries(db).live.get({ hash: hashOf(token), now: now() }) !== undefined

/** Whose account a token opens, once; null for every other one. */
export const burnLink = ({ db, now }: App, token: string): { user_id: string; purpose: Purpose } | null =>
  queries(db).burn.get({ hash: hashOf(token), now: now() }) ?? null

/** Ends every link into an account. */
export const endLinks = ({ db }: App, user: string): void => void queries(db).endAll.run(user)

/** Ends the links that a user handed over to people who are members of this workspace. */
export const endLinksBy = ({ db }: App, workspace: string, by: string): void =>
  void queries(db).endIssued.run({ by, workspace })

/** Removes links whose time is over. */
export const sweepMailTokens = ({ db, now }: App): void => void queries(db).sweep.run(now())
