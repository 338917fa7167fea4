import { OutboundError } from '../outbound/outbound.ts'
import type { HttpTarget } from './target.ts'
import { MailError, type Sender, stepMs, type Transport } from './transport.ts'

/** Statuses of failures that may be temporary. */
const passing = (status: number) => status >= 500 || [408, 425, 429].includes(status)

/** Sends mail through an HTTP service, one call for each mail. docs/rules/accounts.md, "Mails". */
export function httpTransport({ url, key }: HttpTarget, { from, outbound }: Sender): Transport {
  const sender = from.name ? `"${from.name.replace(/["\\]/g, '')}" <${from.address}>` : from.address
  return async ({ id, to, ...mail }, signal) => {
    const { status, text } = await outbound
      .send(url, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', 'idempotency-key': id },
        body: JSON.stringify({ from: sender, to: [to], ...mail }),
        operator: true,
        timeoutMs: stepMs,
        signal,
      })
      .catch((error: unknown) => {
        throw new MailError((error as Error).message, error instanceof OutboundError && error.reason !== 'refused')
      })
    if (status < 200 || status > 299)
      throw new MailError(`The mail service answered ${status}${nameOf(text)}`, passing(status))
  }
}

/** The service's name of the error. Its message may contain the address, so it is not repeated. */
function nameOf(text: string): string {
  try {
    const { name } = JSON.parse(text) as { name?: unknown }
    return typeof name === 'string' && /^[\w.-]{1,60}$/.test(name) ? ` (${name})` : ''
  } catch {
    return ''
  }
}
