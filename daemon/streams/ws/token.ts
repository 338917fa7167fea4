import { randomBytes } from 'node:crypto'
import { jwtVerify, SignJWT } from 'jose'
import type { App } from '#kernel/app'
import type { Actor } from '#kernel/feature'

const lifetimeSeconds = 15 * 60
const audience = 'muster-ws'

/** The user of a socket. */
export interface Bearer {
  userId: string
  email: string | null
  /** The CLI token or session behind the socket's token; the socket does not outlive it. */
  token: Actor['token']
  session: Actor['session']
}

const keys = new WeakMap<App, Uint8Array>()

/** Without an encryption key, tokens are valid until the daemon stops. */
function keyOf(app: App): Uint8Array {
  const known = keys.get(app)
  if (known) return known
  const key = app.vault ? app.vault.derive('ws-token') : randomBytes(32)
  keys.set(app, key)
  return key
}

/** Issues a token for the first frame of a socket, reusable for 15 minutes. docs/rules/streams.md, "WebSocket". */
export async function issueSocketToken(app: App, { id, email, token, session }: Actor): Promise<string> {
  const now = Math.floor(app.clock() / 1000)
  return new SignJWT({ email, token, session })
    .setProtectedHeader({ alg: 'HS256' })
    .setSubject(id)
    .setAudience(audience)
    .setIssuedAt(now)
    .setExpirationTime(now + lifetimeSeconds)
    .sign(keyOf(app))
}

/** Null when the token is invalid or expired. */
export async function readSocketToken(app: App, raw: string): Promise<Bearer | null> {
  try {
    const { payload } = await jwtVerify(raw, keyOf(app), {
      audience,
      algorithms: ['HS256'],
      currentDate: new Date(app.clock()),
    })
    return {
      userId: payload.sub!,
      email: payload['email'] as string | null,
      token: payload['token'] as Bearer['token'],
      session: (payload['session'] as Bearer['session']) ?? null,
    }
  } catch {
    return null
  }
}
