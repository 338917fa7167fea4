import type { ModelCredential } from '../types.ts'

/** How long a credential comes last that the vendor would not take: refused, out of quota or rate-limited. */
export const cooldownMs = 5 * 60_000

interface Turn {
  token: string
  usedAt: number
  limitedUntil: number
}

/** The order in which an agent's credentials are tried. Uses and limits are kept when the configuration changes. */
export interface Turns {
  /**
   * Sorts by lowest priority number, then least recently used. Those that the vendor would not take come last,
   * earliest end first: they are still tried when there is no other, since only the vendor knows when its limit ends.
   */
  order(credentials: ModelCredential[]): ModelCredential[]
  used(credential: ModelCredential): void
  /** False when it was known to be limited. */
  limited(credential: ModelCredential): boolean
}

export function createTurns(now: () => number): Turns {
  const turns = new Map<string, Turn>()
  let count = 0

  function turnOf({ credentialId, token }: ModelCredential): Turn {
    const known = turns.get(credentialId)
    if (known?.token === token) return known
    const fresh = { token, usedAt: 0, limitedUntil: 0 } // a rotated value starts without a limit
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
      const turn = turnOf(credential)
      const fresh = turn.limitedUntil <= now()
      turn.limitedUntil = now() + cooldownMs
      return fresh
    },
  }
}
