import { Socket } from 'node:net'
import type { SmtpTarget } from './target.ts'
import { MailError, type Sender, stepMs, type Transport } from './transport.ts'

/** Sends mail through an SMTP server, one connection for each mail. The library is loaded with the first mail. */
export function smtpTransport(target: SmtpTarget, { from }: Sender): Transport {
  const { host, port, secure, encryption, auth } = target
  return async ({ id, to, ...mail }, signal) => {
    const { createTransport } = await import('nodemailer')
    // Our own socket, so that it can be destroyed at any time. The library reports its errors.
    const socket = new Socket().on('error', () => {})
    const abort = aborted(signal)
    try {
      const sending = createTransport({
        host,
        port,
        secure,
        socket,
        ...(auth && { auth }),
        ...(!secure && {
          requireTLS: encryption === 'required',
          opportunisticTLS: encryption === 'optional',
          ignoreTLS: encryption === 'never',
        }),
        connectionTimeout: stepMs,
        greetingTimeout: stepMs,
        socketTimeout: stepMs,
        dnsTimeout: stepMs,
        disableFileAccess: true,
        disableUrlAccess: true,
      }).sendMail({
        ...mail,
        messageId: `<${id}@${from.address.split('@')[1]}>`,
        from,
        to: { name: '', address: to },
        headers: { 'Auto-Submitted': 'auto-generated' },
      })
      await Promise.race([sending, abort.promise])
    } catch (error) {
      throw explain(error as SmtpFailure, host, signal)
    } finally {
      abort.forget()
      socket.destroy()
    }
  }
}

/** A promise that rejects when the signal aborts. */
function aborted(signal: AbortSignal) {
  let forget = () => {}
  const promise = new Promise<never>((_, reject) => {
    const abort = () => reject(new Error('given up'))
    if (signal.aborted) abort()
    signal.addEventListener('abort', abort, { once: true })
    forget = () => signal.removeEventListener('abort', abort)
  })
  return { promise, forget }
}

interface SmtpFailure extends Error {
  code?: string
  responseCode?: number
}

/**
 * 4xx and broken connections are temporary; a refused password, sender or recipient is not. Replies may contain the
 * address, so the message holds only their code.
 */
function explain({ code = 'EUNKNOWN', responseCode }: SmtpFailure, host: string, signal: AbortSignal): MailError {
  if (signal.aborted) return new MailError(`${host} took too long`, true)
  if (responseCode) return new MailError(`${host} answered ${responseCode} (${code})`, responseCode < 500)
  if (code === 'ETLS') return new MailError(`${host} offers no trusted encryption (ETLS)`, false)
  return new MailError(
    `${host} cannot be reached or closed the connection (${code})`,
    ['ECONNECTION', 'ETIMEDOUT', 'ESOCKET', 'EDNS', 'EPROTOCOL'].includes(code),
  )
}
