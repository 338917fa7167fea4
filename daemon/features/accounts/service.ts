import type { Static } from 'typebox'
import type { accounts } from '#contract/accounts'
import type { SignUp } from '#contract/bootstrap'
import { fact } from '#contract/entries'
import type { App } from '#kernel/app'
import { checkPassword } from '#kernel/auth/common-passwords'
import type { Call } from '#kernel/feature'
import { cleanName } from '#kernel/http/fields'
import { newId } from '#kernel/ids'
import { byUser, journalForUser } from '#kernel/journal/about-user'
import { problem } from '#kernel/problem'
import { redeemInvitations } from '../invitations/service.ts'
import { accountOf } from '../users/lockout/service.ts'
import { createUser, exist, isAlone } from '../users/service.ts'
import { found } from '../workspaces/service.ts'
import { takenLetter } from './letters.ts'
import { defaultWorkspace } from './rules.ts'

/** A person who signs up, as it is stored. */
export interface Newcomer {
  email: string
  full_name: string
  password_hash: string
}

/** The slow and refusable checks before anything is written, the same for new and taken addresses. */
export async function prepareNewcomer(app: App, body: Static<typeof SignUp>): Promise<Newcomer> {
  const full_name = cleanName('full_name', body.full_name, { min: 2, max: 100, unit: 'characters' })
  checkPassword('password', body.password)
  return { email: body.email.toLowerCase(), full_name, password_hash: await app.passwords.hash(body.password) }
}

export function checkAllowed(app: App): void {
  if (!app.config.allowSignup) throw problem('signup_disabled')
  if (!mayBegin(app) && !exist(app))
    throw problem('signup_disabled', {
      detail: 'SVC_ALLOW_SIGNUP has no effect yet: the server has no first user, and the time to create it is over',
    })
}

const told = { ok: true, message: 'Done. If the address was free, its account is there now, and you can sign in.' }

/**
 * An account and its workspaces, all or nothing. For a taken address nothing is written and the answer is the same; its
 * time is that of the hash. What writing adds can be measured once at most: from then on the address is taken.
 */
export function create(app: App, { now }: Call<typeof accounts.create>, { email, full_name, password_hash }: Newcomer) {
  const user = createUser(app, { id: newId(app.clock()), email, full_name, password_hash, now })
  if (user) settle(app, { id: user.id, email, full_name, now })
  else app.afterCommit(() => tellOwner(app, email))
  return told
}

interface Settler {
  id: string
  email: string
  full_name: string
  /** How the account came about, unless by a sign-up. */
  via?: 'idp'
  now: string
}

/** The time in which the first user of the server may be made. */
export const mayBegin = ({ config, clock, startedAt }: App): boolean =>
  !config.bootstrapWindow || clock() - startedAt <= config.bootstrapWindow * 1000

/** Gives a new user the workspaces that the address is invited to, or else a workspace of their own. */
function settle(app: App, settler: Settler): void {
  const { id: user, email, now } = settler
  if (redeemInvitations(app, { user, email, now }).length) recordCreation(app, settler)
  else foundOwn(app, settler)
}

/** A new user with a workspace that the user owns and has not named, journaled. Answers the workspace. */
export function foundOwn(app: App, settler: Settler): string {
  const { id, slug } = foundUnnamed(app, settler)
  const about = { workspace_id: id, ...byUser(settler.id) }
  app.journal(fact('user.created', creation(settler), about))
  app.journal(fact('workspace.created', { entity_id: id, name: slug }, about))
  return id
}

const creation = ({ id, email, via }: Pick<Settler, 'id' | 'email' | 'via'>) => ({
  entity_id: id,
  name: email,
  ...(via && { metadata: { via } }),
})

/** Tells the workspaces into which a new user was invited. */
export const recordCreation = (app: App, user: Pick<Settler, 'id' | 'email' | 'via'>): void =>
  journalForUser(app, user.id, fact('user.created', creation(user), byUser(user.id)))

function foundUnnamed(app: App, { id: owner, email, full_name, now }: Settler): { id: string; slug: string } {
  const id = newId(app.clock())
  // The first to sign up could have used bootstrap as well, and without an owner the server would never get one.
  const homes = isAlone(app) && mayBegin(app) ? [{ home: true as const }, {}] : [{}]
  // Ids made within the same second begin alike; their ends are random.
  const tails = [id.slice(0, 8), id.slice(-8)]
  for (const home of homes)
    for (const tail of tails) {
      const row = found(app, { ...defaultWorkspace(full_name, email, tail), owner, now, ...home }, id)
      if (row) return row
    }
  throw new Error('No slug is free for the workspace of a new user')
}

/** Somebody signed up with an address that has an account: its owner should know. */
function tellOwner(app: App, email: string): void {
  app.log.info({ to: app.mailer.mark(email) }, 'Sign-up with an address that has an account')
  app.mailer.send(async () => {
    const user = accountOf(app, email)
    return user && !app.limits.take('mail', `taken ${user.id}`) ? takenLetter(app.config, user) : null
  })
}
