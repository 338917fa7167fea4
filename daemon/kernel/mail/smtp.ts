import { Socket } from 'node:net'
import type { SmtpTarget } from './target.ts'
import { MailError, type Sender, stepMs, type Transport } from './transport.ts'

/** Mail through a mail server: one connection for each. The library is loaded with the first mail. */
export function smtpTransport(target: SmtpTarget, { from }: Sender): Transport {
  const { host, port, secure, encryption, auth } = target
  return async ({ id, to, ...mail }, signal) => {
    const { createTransport } = await import('nodemailer')
    // A connection of our own can be ended from outside, whatever it is waiting for; its errors are told by the
    // library.
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

/** A promise that fails when the signal comes. */
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
 * 4xx and broken connections pass; a refused password, sender or recipient does not. Answers may repeat the address:
 * only their code is told.
 */
function explain({ code = 'EUNKNOWN', responseCode }: SmtpFailure, host: string, signal: AbortSignal): MailError {
  if (signal.aborted) return new MailError(`${host} took too long`, true)
  if (responseCode) return new MailError(`${host} answered ${responseCode} (${code})`, responseCode < 500)
  if (code === 'ETLS') return new MailError(`${host} offers no encryption that can be trusted (ETLS)`, false)
  return new MailError(
    `${host} cannot be reached or broke off (${code})`,
    ['ECONNECTION', 'ETIMEDOUT', 'ESOCKET', 'EDNS', 'EPROTOCOL'].includes(code),
  )
}
