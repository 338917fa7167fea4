import { hash as digest, randomBytes } from 'node:crypto'
import { type App, wholeSeconds } from '#kernel/app'
import { problem } from '#kernel/problem'
import type { OauthClient } from '../credentials/oauth/service.ts'
import { queries, type StateRow } from './queries.ts'

const lifetime = 15 * 60_000
/** Most sign-ins of a person that wait; the oldest go first. */
const most = 100

/** What only this server knows of a sign-in. */
export interface Attempt {
  verifier: string
  /** The client that asks, which is the credential's once tokens came for it. */
  client: OauthClient
}

/** A sign-in that has begun, taken from where it was kept: nobody else gets it. */
export interface Begun extends Attempt {
  credential: string
  workspace: string
  user: string
  redirect: string
}

export const newState = (): string => randomBytes(32).toString('hex')
export const newVerifier = (): string => randomBytes(32).toString('base64url')
/** The PKCE challenge of a verifier. */
export const challengeOf = (verifier: string): string => digest('sha256', verifier, 'base64url')

const hashOf = (state: string): string => digest('sha256', state, 'hex')
const rowOf = (hash: string): string => `oauth_states:${hash}`

/** Within the current change. */
export function keepState(app: App, state: string, { credential, workspace, user, redirect, ...attempt }: Begun): void {
  const { sweep, trim, keep } = queries(app.db)
  sweep.run(app.now())
  trim.run({ user, most: most - 1 })
  const hash = hashOf(state)
  keep.run({
    state_hash: hash,
    credential_id: credential,
    workspace_id: workspace,
    user_id: user,
    redirect_uri: redirect,
    sealed: vaultOf(app).seal(JSON.stringify(attempt), rowOf(hash)),
    created_at: app.now(),
    expires_at: wholeSeconds(app.clock() + lifetime),
  })
}

function vaultOf({ vault }: App) {
  if (!vault) throw problem('encryption_unavailable')
  return vault
}

const unknown = () =>
  problem('oauth_state_unknown', {
    field: 'state',
    detail: 'This sign-in was not begun here, was finished before, or took longer than 15 minutes; start again',
  })

function opened(app: App, row: StateRow | undefined): Begun {
  if (!row) throw unknown()
  const attempt = JSON.parse(vaultOf(app).open(row.sealed, rowOf(row.state_hash))) as Attempt
  return {
    ...attempt,
    credential: row.credential_id,
    workspace: row.workspace_id,
    user: row.user_id,
    redirect: row.redirect_uri,
  }
}

/** Takes the sign-in of a state. */
export const burnState = (app: App, state: string): Begun =>
  opened(app, queries(app.db).burn.get({ hash: hashOf(state), now: app.now() }))

/** Takes a person's own sign-in for a credential: that of a state, else the newest one. */
export function burnOwn(
  app: App,
  own: { workspace: string; user: string; credential: string },
  state: string | undefined,
): Begun {
  const asked = { ...own, now: app.now() }
  const hash = state === undefined ? queries(app.db).newest.get(asked) : hashOf(state)
  return opened(app, hash === undefined ? undefined : queries(app.db).burnOwn.get({ ...asked, hash }))
}

/** Forgets sign-ins that took too long; returns how many. */
export const sweepStates = ({ db, now }: App): number => queries(db).sweep.run(now()).changes

/** Forgets what was begun for a deleted credential. */
export const forgetStates = ({ db }: App, credential: string): void => void queries(db).drop.run(credential)
