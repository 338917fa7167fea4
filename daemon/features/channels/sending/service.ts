import type { App } from '#kernel/app'
import { oneLine } from '#kernel/mail/letter'
import { MailError } from '#kernel/mail/transport'
import { OutboundError } from '#kernel/outbound/outbound'
import { providerCalled } from '../providers/index.ts'
import { NotTaken, type Send } from '../providers/types.ts'
import {
  DeliveryError,
  letterOf,
  type Message,
  noteOf,
  partsOfSecret,
  retryAfter,
  type Target,
  webhookRequest,
} from './rules.ts'

export { DeliveryError, type Message, type Target } from './rules.ts'

const [webhookMs, usualMs, mostBytes] = [15_000, 10_000, 64 * 1024]

interface Sending {
  signal?: AbortSignal
  /** Which hosts may be called, beside what the daemon's client forbids in any case. */
  mayReach?: (host: string) => boolean
}

/** Sends a message to where a channel leads. Throws `DeliveryError`. */
export async function sendMessage(app: App, target: Target, message: Message, how: Sending = {}): Promise<void> {
  const { type, address, secret, url } = target
  if (type === 'email') return sendMail(app, address!, message, how.signal)
  const send = sender(app, secret, how)
  if (type === 'webhook') {
    await send({ url: url!, ...webhookRequest(secret!, message, app.clock()), timeoutMs: webhookMs })
    return
  }
  const provider = providerCalled(target.provider!)
  if (!provider) throw new DeliveryError(`There is no service ${target.provider} any more`, false)
  try {
    await provider.deliver(send, new URL(secret!), noteOf(message))
  } catch (error) {
    if (error instanceof NotTaken) throw new DeliveryError(said(error.message, secret), false)
    throw error
  }
}

async function sendMail(app: App, to: string, message: Message, signal?: AbortSignal): Promise<void> {
  try {
    await app.mailer.post(letterOf(to, message), message.id, signal)
  } catch (error) {
    if (error instanceof MailError) throw new DeliveryError(error.message, error.temporary)
    throw error
  }
}

const passing = (status: number) => status >= 500 || [408, 425, 429].includes(status)

/** Makes requests through the daemon's client for other servers, which dials public addresses alone. */
const sender =
  (app: App, secret: string | null, { signal, mayReach }: Sending): Send =>
  async ({ url, method = 'POST', headers = {}, body, timeoutMs = usualMs }) => {
    const { hostname } = new URL(url)
    if (mayReach && !mayReach(hostname.toLowerCase()))
      throw new DeliveryError(`The network policy of the crew does not allow ${hostname}`, false)
    const request = {
      method,
      headers,
      ...(body !== undefined && { body }),
      timeoutMs,
      maxBytes: mostBytes,
      ...(signal && { signal }),
    }
    const reply = await app.outbound.send(url, request).catch((error: unknown) => {
      if (!(error instanceof OutboundError)) throw error
      const temporary = error.reason === 'unreachable' || error.reason === 'timeout'
      throw new DeliveryError(said(error.message, secret), temporary)
    })
    const { status, text } = reply
    if (status >= 200 && status < 300) return text
    const why = status >= 300 && status < 400 ? ': redirects are not followed' : text && `: ${said(text, secret)}`
    const wait = retryAfter(reply.headers['retry-after'], app.clock())
    throw new DeliveryError(`${new URL(url).host} answered ${status}${why}`, passing(status), wait)
  }

/** What another server said, in a line, without what it must not know from us. */
function said(text: string, secret: string | null): string {
  const clean = partsOfSecret(secret).reduce((words, part) => words.replaceAll(part, '***'), text)
  return oneLine(clean, 200)
}
