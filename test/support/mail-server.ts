import { readFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'
import { certificate } from './fake-server.ts'
import { closing } from './index.ts'

/** A mail as it arrived. */
export interface Arrived {
  from: string
  to: string[]
  /** Whether it came over an encrypted connection, and as whom. */
  secure: boolean
  user: string | null
  raw: string
  /** Unfolded, by lower-case name. */
  headers: Record<string, string>
  text: string
  html: string
}

export interface MailServer {
  port: number
  arrived: Arrived[]
  /** Connections made, successful or not. */
  connections(): number
  /** Resolves once so many mails have arrived. */
  until(count: number): Promise<Arrived[]>
}

/**
 * Options of the server library, and what it answers to the recipient of each attempt: `451` and the like, or nothing
 * for yes.
 */
interface Options extends SMTPServerOptions {
  refuse?: (attempt: number) => number | undefined
}

/** A real mail server on loopback, with the certificate of `fakeServer`. */
export async function mailServer({ refuse, ...options }: Options = {}): Promise<MailServer> {
  const arrived: Arrived[] = []
  const waiting = new Set<() => void>()
  let attempts = 0
  let connections = 0
  const server = new SMTPServer({
    cert: readFileSync(certificate),
    key: readFileSync(certificate.replace(/crt$/, 'key')),
    authOptional: true,
    allowInsecureAuth: true,
    logger: false,
    disableReverseLookup: true,
    onAuth: ({ username, password }, _session, done) =>
      password === 'pa%ss:word'
        ? done(null, { user: username })
        : done(Object.assign(new Error('no'), { responseCode: 535 })),
    onConnect: (_session, done) => {
      connections += 1
      done()
    },
    onRcptTo: (address, _session, done) => {
      attempts += 1
      const code = refuse?.(attempts)
      done(code ? Object.assign(new Error(`not for ${address.address}`), { responseCode: code }) : null)
    },
    onData: async (stream, session, done) => {
      const raw = await whole(stream)
      if (raw === null) return
      const { mailFrom, rcptTo } = session.envelope
      const about = { from: mailFrom ? mailFrom.address : '', to: rcptTo.map(({ address }) => address) }
      arrived.push({
        ...about,
        secure: session.secure,
        user: (session.user as string | undefined) ?? null,
        raw,
        ...read(raw),
      })
      for (const check of waiting) check()
      done()
    },
    ...options,
  })
  server.on('error', () => {})
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  closing({ close: () => new Promise<void>((resolve) => server.close(() => resolve())) })
  return {
    port: (server.server.address() as AddressInfo).port,
    arrived,
    connections: () => connections,
    until: (count) =>
      new Promise((resolve) => {
        const check = () => {
          if (arrived.length < count) return
          waiting.delete(check)
          resolve(arrived)
        }
        waiting.add(check)
        check()
      }),
  }
}

/** Everything that comes; null when the sender goes away in the middle, as one does at the end of a test. */
async function whole(stream: AsyncIterable<unknown>): Promise<string | null> {
  let text = ''
  try {
    for await (const chunk of stream) text += String(chunk)
    return text
  } catch {
    return null
  }
}

function read(raw: string): Pick<Arrived, 'headers' | 'text' | 'html'> {
  const { headers, body } = split(raw)
  const boundary = /boundary="([^"]+)"/.exec(headers['content-type'] ?? '')?.[1]
  const parts = boundary
    ? body
        .split(`--${boundary}`)
        .slice(1, -1)
        .map((part) => split(part.replace(/^\r\n/, '')))
    : [{ headers, body }]
  const of = (type: string) => {
    const part = parts.find((it) => it.headers['content-type']?.startsWith(type))
    return part ? decode(part.body, part.headers['content-transfer-encoding']).replaceAll('\r\n', '\n') : ''
  }
  return { headers, text: of('text/plain'), html: of('text/html') }
}

function split(raw: string) {
  const at = raw.indexOf('\r\n\r\n')
  const lines = raw
    .slice(0, at)
    .replace(/\r\n[ \t]+/g, ' ')
    .split('\r\n')
  const headers = Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
  )
  return { headers, body: raw.slice(at + 4) }
}

function decode(body: string, encoding = '7bit'): string {
  if (encoding === 'base64') return Buffer.from(body, 'base64').toString('utf8')
  if (encoding !== 'quoted-printable') return body
  const bytes = body
    .replace(/=\r\n/g, '')
    .replace(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
  return Buffer.from(bytes, 'latin1').toString('utf8')
}
