import type { ModelCredential } from '../types.ts'

/** How long a credential that the vendor limited (429) comes after the others. */
export const cooldownMs = 5 * 60_000

interface Turn {
  token: string
  usedAt: number
  limitedUntil: number
}

/** Whose turn it is among an agent's credentials; remembers use and limits across configurations, by credential. */
export interface Turns {
  /**
   * Lowest priority number first, the one unused for longest first among equals. Limited ones come last, the soonest
   * free
   * first: they are still tried when there is no other, since the vendor knows best when its limit ends.
   */
  order(credentials: ModelCredential[]): ModelCredential[]
  used(credential: ModelCredential): void
  limited(credential: ModelCredential): void
}

export function createTurns(now: () => number): Turns {
  const turns = new Map<string, Turn>()
  let count = 0

  function turnOf({ credentialId, token }: ModelCredential): Turn {
    const known = turns.get(credentialId)
    if (known?.token === token) return known
    const fresh = { token, usedAt: 0, limitedUntil: 0 } // a rotated value starts without its predecessor's limit
    turns.set(credentialId, fresh)
    return fresh
  }

  return {
    order(credentials) {
      const at = now()
      return credentials
        .map((credential) => ({ credential, turn: turnOf(credential) }))
        .map((it) => ({ ...it, wait: Math.max(0, it.turn.limitedUntil - at) }))
        .sort(
          (a, b) => a.wait - b.wait || a.credential.priority - b.credential.priority || a.turn.usedAt - b.turn.usedAt,
        )
        .map(({ credential }) => credential)
    },
    used: (credential) => {
      turnOf(credential).usedAt = ++count
    },
    limited: (credential) => {
      turnOf(credential).limitedUntil = now() + cooldownMs
    },
  }
}
