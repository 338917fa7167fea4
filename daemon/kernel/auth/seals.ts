import { randomBytes } from 'node:crypto'
import { EncryptJWT, errors, type JWTPayload, jwtDecrypt } from 'jose'
import { problem } from '../problem.ts'
import type { Vault } from '../store/vault.ts'

type Kind = 'access' | 'refresh'

/** Claims of a session token. docs/rules/accounts.md, "Session tokens". */
export interface Claims {
  userId: string
  sessionId: string
  jti: string
  /** Seconds since 1970. */
  expires: number
}

export interface Subject {
  userId: string
  sessionId: string
  name: string | null
  email: string
}

/** Seconds. */
export const lifetimes = { access: 15 * 60, refresh: 30 * 86_400 } as const
const leeway = 5

/** Encrypts and decrypts session tokens. */
export interface Seals {
  seal(kind: Kind, subject: Subject, jti?: string): Promise<{ token: string; jti: string; expires: number }>
  /** `expired` for a valid token past its end; null for an invalid one or one of another kind. */
  read(kind: Kind, token: string): Promise<Claims | 'expired' | null>
}

const newJti = (): string => randomBytes(16).toString('base64url')

const alg = 'dir'
const enc = 'A256CBC-HS512'

export function createSeals(vault: Vault | null, clock: () => number): Seals {
  const keys = new Map<Kind, Uint8Array>()
  const keyOf = (kind: Kind): Uint8Array => {
    if (!vault) throw problem('encryption_unavailable')
    const known = keys.get(kind) ?? vault.derive(`session-${kind}`, 64)
    keys.set(kind, known)
    return known
  }

  return {
    async seal(kind, { userId, sessionId, name, email }, jti = newJti()) {
      const now = Math.floor(clock() / 1000)
      const expires = now + lifetimes[kind]
      const claims = { id: userId, sid: sessionId, kind, ...(kind === 'access' && { name, email }) }
      const token = await new EncryptJWT(claims)
        .setProtectedHeader({ alg, enc, cty: 'JWT' })
        .setJti(jti)
        .setIssuedAt(now)
        .setExpirationTime(expires)
        .encrypt(keyOf(kind))
      return { token, jti, expires }
    },
    async read(kind, token) {
      // Cheap check for the compact form before anything is decrypted.
      if (token.length > 4096 || token.split('.').length !== 5) return null
      try {
        const { payload } = await jwtDecrypt(token, keyOf(kind), {
          keyManagementAlgorithms: [alg],
          contentEncryptionAlgorithms: [enc],
          clockTolerance: leeway,
          currentDate: new Date(clock()),
        })
        return claimsOf(kind, payload)
      } catch (error) {
        if (error instanceof errors.JWTExpired) return 'expired'
        if (error instanceof errors.JOSEError) return null
        throw error
      }
    },
  }
}

function claimsOf(kind: Kind, { id, sid, jti, exp, kind: given }: JWTPayload): Claims | null {
  if (given !== kind || typeof id !== 'string' || typeof sid !== 'string' || !jti || !exp) return null
  return { userId: id, sessionId: sid, jti, expires: exp }
}
