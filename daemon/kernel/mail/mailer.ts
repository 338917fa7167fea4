import { createHmac, randomBytes } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import type { Config } from '../config.ts'
import { newId } from '../ids.ts'
import type { Log } from '../log.ts'
import type { Outbound } from '../outbound/outbound.ts'
import type { Vault } from '../store/vault.ts'
import { httpTransport } from './http.ts'
import { type Letter, type Mail, render } from './letter.ts'
import { smtpTransport } from './smtp.ts'
import { isAddress, type MailTarget, mailTarget, parseSender } from './target.ts'
import { MailError, type Sender, type Transport } from './transport.ts'

/** Sends mail in the background, after the answer to the request. Failures are only logged. */
export interface Mailer {
  /** False without a transport: letters are then dropped. */
  readonly configured: boolean
  /** Queues a letter, or work that writes one (null for none) in the background. Never throws. */
  send(letter: Letter | (() => Promise<Letter | null>)): void
  /**
   * Makes one attempt to send a letter under an id that is the same at every attempt, until `signal` ends it. Throws
   * `MailError`.
   */
  post(letter: Letter, id: string, signal?: AbortSignal): Promise<void>
  /** For operators: the transport, and the failure of the last mail; null when it was sent, or there was none. */
  condition(): { way: string | null; failure: string | null }
  /** A pseudonym of an address for logs, from which the address cannot be recovered. */
  mark(address: string): string
  /** Resolves when nothing is queued or being sent. */
  idle(): Promise<void>
  /** Sends queued mail within this time; drops mail that waits for another attempt. */
  close(withinMs: number): Promise<void>
}

interface Parts {
  config: Config
  log: Log
  outbound: Outbound
  vault: Vault | null
  /** Resolves after this time, or at once when aborted. */
  wait?: (ms: number, signal: AbortSignal) => Promise<void>
}

const atOnce = 3
const queueLimit = 500
/** Milliseconds before the second and the third attempt. */
const waits = [5000, 30_000]
const attemptMs = 30_000

export function createMailer({ config, log, outbound, vault, wait = pause }: Parts): Mailer {
  const target = mailTarget(config)
  const transport = target && openTransport(target, { from: parseSender(config.mailerFrom)!, outbound })
  const server = config.publicUrl ? new URL(config.publicUrl).host : 'that you have an account on'
  const markKey = vault?.derive('mail-log') ?? randomBytes(32)
  const mark = (address: string) =>
    createHmac('sha256', markKey).update(address.toLowerCase()).digest('hex').slice(0, 16)

  const queue: (Letter | (() => Promise<Letter | null>))[] = []
  const closing = new AbortController()
  const ending = new AbortController()
  const waiters: (() => void)[] = []
  let running = 0
  let failure: string | null = null

  const attempt = (mail: Mail, signal: AbortSignal[] = []): Promise<void> =>
    transport!(mail, AbortSignal.any([ending.signal, AbortSignal.timeout(attemptMs), ...signal]))

  async function deliver(letter: Letter): Promise<void> {
    const about = { mail: letter.kind, to: mark(letter.to) }
    if (!isAddress(letter.to)) return log.error(about, 'Mail not sent: no usable address')
    const mail: Mail = { id: newId(), ...render(letter, server) }
    for (let n = 1; ; n += 1) {
      try {
        await attempt(mail)
        failure = null
        return log.info({ ...about, attempt: n }, 'Mail sent')
      } catch (error) {
        const { message: reason, temporary } =
          error instanceof MailError ? error : new MailError('Sending failed', false)
        failure = reason
        const again = temporary && n <= waits.length && !closing.signal.aborted
        log[again ? 'warn' : 'error'](
          { ...about, attempt: n, reason },
          again ? 'Mail not sent, will be tried again' : 'Mail not sent',
        )
        if (!again) return
        await wait(waits[n - 1]!, closing.signal)
      }
    }
  }

  async function work(job: Letter | (() => Promise<Letter | null>)): Promise<void> {
    try {
      const letter = typeof job === 'function' ? await job() : job
      if (letter) await deliver(letter)
    } catch (error) {
      log.error({ err: error }, 'A mail could not be written')
    } finally {
      running -= 1
      pump()
    }
  }

  function pump(): void {
    while (running < atOnce && queue.length) {
      running += 1
      // Deferred, so that the answer to the request takes the same time whether or not there is mail to write.
      setImmediate(work, queue.shift()!)
    }
    if (running || queue.length) return
    for (const resolve of waiters.splice(0)) resolve()
  }

  const idle = () => new Promise<void>((resolve) => (running || queue.length ? waiters.push(resolve) : resolve()))

  return {
    configured: transport !== null,
    condition: () => ({ way: target && wayOf(target), failure }),
    mark,
    idle,
    async post(letter, id, signal) {
      if (!transport) throw new MailError('This server has nothing to send mail with', false)
      if (!isAddress(letter.to)) throw new MailError('No usable address', false)
      await attempt({ id, ...render(letter, server) }, signal && [signal]).catch((error: unknown) => {
        throw error instanceof MailError ? error : new MailError('Sending failed', true)
      })
      log.info({ mail: letter.kind, to: mark(letter.to) }, 'Mail sent')
    },
    send(job) {
      if (!transport) return
      if (queue.length >= queueLimit) return log.error({ queued: queue.length }, 'Mail not sent: too many wait')
      queue.push(job)
      pump()
    },
    async close(withinMs) {
      closing.abort()
      const done = new AbortController()
      const late = setTimeout(withinMs, true, { signal: done.signal }).catch(() => false)
      if (await Promise.race([late, idle().then(() => false)])) {
        log.warn({ queued: queue.splice(0).length, under_way: running }, 'Mail dropped: the daemon stops')
        ending.abort()
        await idle()
      }
      done.abort()
    },
  }
}

const openTransport = (target: MailTarget, sender: Sender): Transport =>
  target.kind === 'http' ? httpTransport(target, sender) : smtpTransport(target, sender)

const wayOf = (target: MailTarget): string =>
  target.kind === 'http' ? new URL(target.url).host : `${target.host}:${target.port}`

const pause = (ms: number, signal: AbortSignal) => setTimeout(ms, undefined, { signal }).catch(() => {})
