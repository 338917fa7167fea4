import { fact } from '#contract/entries'
import type { users } from '#contract/users'
import type { App } from '#kernel/app'
import type { Call } from '#kernel/feature'
import { cleanName } from '#kernel/http/fields'
import { byUser, journalForUser } from '#kernel/journal/about-user'
import { problem } from '#kernel/problem'
import { queries, type Row } from './queries.ts'

export function find({ db }: App, id: string): Row {
  const user = queries(db).find.get(id)
  if (!user) throw problem('not_found', { field: 'user_id' })
  return user
}

export const exist = ({ db }: App): boolean => queries(db).any.get() !== undefined

/** Whether there is no more than one user. */
export const isAlone = ({ db }: App): boolean => queries(db).second.get() === undefined

interface NewUser {
  id: string
  email: string
  full_name: string | null
  /** Null for people who sign in by other means or set a password later. */
  password_hash: string | null
  /** Whether the address is known to be theirs. */
  verified?: boolean
  now: string
}

/** A new user; null when the address has an account. Emails are stored in lower case. */
export const createUser = ({ db }: App, { verified, ...user }: NewUser): Row | null =>
  queries(db).insert.get({ ...user, verified_at: verified ? user.now : null }) ?? null

/** Marks the address as verified. */
export const verifyAddress = ({ db }: App, id: string, now: string): void => void queries(db).verify.run({ id, now })

/** Turns the second factor on or off; returns whether that changed anything. */
export function setTwoFactor({ db }: App, user: string, on: boolean, now: string): boolean {
  const { turnFactorOn, turnFactorOff } = queries(db)
  return on ? turnFactorOn.run({ user, now }).changes > 0 : turnFactorOff.get({ user, now }) !== undefined
}

export const completeOnboarding = ({ db }: App, user: string, now: string): void =>
  void queries(db).completeOnboarding.run({ user, now })

interface NewPassword {
  user: string
  password_hash: string
  /** The link came by mail, so the address counts as verified. */
  mailed: boolean
  now: string
}

/** Sets a password without the old one: wrong guesses are forgotten. Whoever calls records the fact. */
export const replacePassword = ({ db }: App, { mailed, ...given }: NewPassword): void =>
  void queries(db).replacePassword.run({ ...given, mailed: mailed ? 1 : 0 })

/** Takes the password away from an account whose owner never set it; wrong guesses are forgotten. */
export const dropPassword = ({ db }: App, user: string): void => void queries(db).dropPassword.run(user)

/** The first user of the server; null when there is one already. Emails are stored in lower case. */
export const createFirst = ({ db }: App, user: Omit<NewUser, 'verified'>): Row | null =>
  queries(db).insertFirst.get(user) ?? null

export function update(app: App, { actor, body, now }: Call<typeof users.update>): Row {
  const full_name = cleanName('full_name', body.full_name, { min: 1, max: 100, unit: 'characters' })
  const user = queries(app.db).rename.get({ id: actor.id, full_name, now })
  if (user) announce(app, user, 'full_name')
  return user ?? find(app, actor.id)
}

/** Sets the address of the picture; null for none. */
export function setAvatarUrl(app: App, id: string, url: string | null, now: string): Row {
  const user = queries(app.db).setAvatarUrl.get({ id, url, now })
  if (user) announce(app, user, 'avatar_url')
  return user ?? find(app, id)
}

const announce = (app: App, { id, email }: Row, changed: 'full_name' | 'avatar_url'): void =>
  journalForUser(
    app,
    id,
    fact('user.updated', { entity_id: id, name: email, metadata: { changed: [changed] } }, byUser(id)),
  )
