import { createHash, randomBytes } from 'node:crypto'
import type { Client } from '#client'
import { Cancelled } from '../input.ts'
import { listenForCode, type Outcome } from './loopback.ts'
import { thisMachine } from './password.ts'

const patience = 10 * 60_000

interface Asking {
  /** Address of the server for browsers. */
  web: string
  /** Shows or opens the address. */
  lead(address: string): Promise<void>
  /** Waits for the answer, telling the person. */
  wait(code: Promise<string>, until: number): Promise<string>
}

/**
 * Lets a browser sign this command in: it brings a pairing code to a port of this machine. The code is bound to a
 * secret that never leaves this process, so whoever sees it on its way cannot use it.
 */
export async function tokenByBrowser(api: Client, { web, lead, wait }: Asking): Promise<string> {
  const [verifier, state] = [randomBytes(32).toString('base64url'), randomBytes(32).toString('base64url')]
  const challenge = createHash('sha256').update(verifier).digest('base64url')
  const until = Date.now() + patience
  const place = await listenForCode(state, (outcome) => `${web}/login/cli?outcome=${outcome}`, patience)
  let outcome: Outcome = 'failed'
  try {
    const query = new URLSearchParams({ port: String(place.port), state, challenge, name: thisMachine() })
    await lead(`${web}/login/cli?${query}`)
    const code = await wait(place.code, until)
    const { cli_token } = await api.pairing.redeem({
      body: { code, verifier, adapter_hint: thisMachine().replace(/[.-]/g, '_') },
    })
    outcome = 'signed-in'
    return cli_token
  } catch (error) {
    if (error instanceof Cancelled) outcome = 'denied'
    throw error
  } finally {
    await place.finish(outcome)
  }
}
