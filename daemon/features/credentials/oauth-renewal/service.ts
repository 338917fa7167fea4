import { setTimeout as pause } from 'node:timers/promises'
import type { App } from '#kernel/app'
import { singleFlight } from '#kernel/jobs/single-flight'
import { untilWritten } from '#kernel/store/until-written'
import { clientOf, type Due, endingBefore, endsBefore, expire, keepTokens, noteRenewal } from '../oauth/service.ts'
import { Unsound } from '../oauth-asking/service.ts'
import { renewTokens } from '../oauth-tokens/service.ts'

/** How long before their end tokens are renewed, and how often it is looked for them. */
const aheadMs = 10 * 60_000
const everyMs = 5 * 60_000
/** Tokens that end within that are renewed before they are sent. */
const soonMs = 10_000
/** Most that are looked at at a time. */
const most = 5000
/** Renewals at a time. */
const atOnce = 4

/** What is being renewed, by credential: who asks meanwhile gets the same answer. */
const running = new WeakMap<App, Map<string, Promise<boolean>>>()

/**
 * Renews the tokens of a credential; whoever asks while that goes on waits for the same renewal. Says whether there are
 * new ones. A server that refuses ends the credential; one that gives no answer is asked again later.
 */
export function renew(app: App, credentialId: string): Promise<boolean> {
  const all = running.get(app) ?? new Map<string, Promise<boolean>>()
  if (app.stopping.signal.aborted) return all.get(credentialId) ?? Promise.resolve(false)
  running.set(app, all)
  return singleFlight(all, credentialId, () => attempt(app, credentialId))
}

/**
 * Resolves when nothing is being renewed any more, at the latest after so long. Before that the daemon must not end: a
 * refresh token that a server gave in place of another one would be lost, and with it the sign-in.
 */
export async function renewalsOver(app: App, mostMs: number): Promise<void> {
  const late = new AbortController()
  const all = Promise.allSettled(running.get(app)?.values() ?? [])
  await Promise.race([all, pause(mostMs, undefined, { signal: late.signal, ref: false }).catch(() => undefined)])
  late.abort()
}

/** Renews the tokens of a credential that are over or about to end, before they are sent. */
export async function renewEnding(app: App, credentialId: string): Promise<void> {
  if (endsBefore(app, credentialId, app.clock() + soonMs)) await renew(app, credentialId)
}

async function attempt(app: App, id: string): Promise<boolean> {
  const known = clientOf(app, id)
  if (!known || known.refresh === null || known.token_url === null || known.client_id === null) return false
  const { refresh, version, ...client } = known
  try {
    const granted = await renewTokens(app, client, refresh)
    // A server that gave a new refresh token takes the old one no more: this must not be lost.
    return await untilWritten(app, () => {
      const kept = keepTokens(app, id, { ...granted, version }) !== null
      if (kept) noteRenewal(app, id, null)
      return kept
    })
  } catch (error) {
    if (!(error instanceof Unsound)) throw error
    app.log.warn({ credential_id: id, reason: error.message }, 'Tokens could not be renewed')
    if (error.word !== null && final.has(error.word)) await untilWritten(app, () => endUnless(app, id, version, error))
    return false
  }
}

/** Answers after which asking again is of no use. */
const final = new Set([
  'invalid_grant',
  'invalid_client',
  'unauthorized_client',
  'unsupported_grant_type',
  'invalid_scope',
])

/** Somebody may have signed in anew meanwhile. */
function endUnless(app: App, id: string, version: number, { message }: Unsound): void {
  if (clientOf(app, id)?.version === version) expire(app, id, message)
}

/** Renews what ends soon, and ends what is over and cannot be renewed; each a few at a time. */
export async function renewDue(app: App): Promise<void> {
  const due = endingBefore(app, app.clock() + aheadMs, most)
  for (let at = 0; at < due.length && !app.stopping.signal.aborted; at += atOnce)
    await Promise.all(due.slice(at, at + atOnce).map((one) => see(app, one)))
}

/** What is wrong with one credential keeps no other from being renewed. */
async function see(app: App, { id, renewable, token_expires_at }: Due): Promise<void> {
  try {
    if (renewable) await renew(app, id)
    else if (Date.parse(token_expires_at!) <= app.clock())
      await untilWritten(app, () => expire(app, id, 'Its token has ended, and the server gave none to renew it with'))
  } catch (error) {
    app.log.error({ err: error, credential_id: id }, 'Tokens could not be renewed')
  }
}

/** Looks for tokens to renew at the start and every five minutes. */
export function renewRegularly(app: App): { close(): void } {
  let timer: NodeJS.Timeout | undefined
  let closed = false
  const go = () =>
    void renewDue(app)
      .catch((error: unknown) => app.log.error({ err: error }, 'Tokens could not be renewed'))
      .finally(() => {
        if (!closed) timer = setTimeout(go, everyMs).unref()
      })
  go()
  return {
    close() {
      closed = true
      clearTimeout(timer)
    },
  }
}
