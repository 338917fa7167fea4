import { isLoopbackHost } from '../outbound/addresses.ts'

/** The settings for mail. */
export interface MailSettings {
  mailerApiKey: string
  mailerFrom: string
  mailerApiUrl: string
  smtpUrl: string
}

/** `required`: TLS or failure. `optional`: TLS if the server offers it. `never`: plain text. */
const encryptions = ['required', 'optional', 'never'] as const
export type Encryption = (typeof encryptions)[number]

export interface HttpTarget {
  kind: 'http'
  url: string
  key: string
}

export interface SmtpTarget {
  kind: 'smtp'
  host: string
  port: number
  /** TLS from the first byte. */
  secure: boolean
  /** Use of STARTTLS on a connection that begins in plain text. */
  encryption: Encryption
  auth: { user: string; pass: string } | null
}

export type MailTarget = HttpTarget | SmtpTarget

/** Default mail API; MAILER_API_URL names others with the same request. docs/rules/accounts.md, "Mails". */
const usualApi = 'https://api.resend.com/emails'

/** One address, without characters that could end a header or start another address. */
const address = /^[^\s<>,;:"()[\]\\@\p{Cc}]+@[^\s<>,;:"()\\@\p{Cc}]+$/u
export const isAddress = (text: string): boolean => text.length <= 254 && address.test(text)

/** `Muster <muster@example.com>` or the address alone; null for anything else. */
export function parseSender(text: string): { name: string; address: string } | null {
  const [, name = '', inBrackets] = /^([^<>]*)<([^<>]+)>$/.exec(text.trim()) ?? []
  const found = (inBrackets ?? text).trim()
  if (!isAddress(found) || /\p{Cc}/u.test(name)) return null
  return { name: name.trim().replace(/^"(.*)"$/, '$1'), address: found }
}

/** The configured transport; null without one. Throws for an invalid configuration, saying what to set. */
export function mailTarget({
  mailerApiKey: key,
  mailerFrom: from,
  mailerApiUrl: url,
  smtpUrl: smtp,
}: MailSettings): MailTarget | null {
  if (key && smtp) throw new Error('MAILER_API_KEY and SMTP_URL are two ways to send mail: set one of them')
  if (!key && !smtp) {
    if (from)
      throw new Error(
        'MAILER_FROM is set, but there is nothing to send mail with: set MAILER_API_KEY or SMTP_URL as well',
      )
    if (url) throw new Error('MAILER_API_URL needs MAILER_API_KEY')
    return null
  }
  if (!from.trim())
    throw new Error(`${key ? 'MAILER_API_KEY' : 'SMTP_URL'} needs MAILER_FROM, the address that mail comes from`)
  if (!parseSender(from))
    throw new Error(
      `MAILER_FROM must be an address, as muster@example.com or Muster <muster@example.com>, not "${from}"`,
    )
  if (smtp && url) throw new Error('MAILER_API_URL belongs to MAILER_API_KEY, not to SMTP_URL')
  return smtp ? smtpTarget(smtp) : httpTarget(key, url || usualApi)
}

function httpTarget(key: string, url: string): HttpTarget {
  if (!/^[\x21-\x7e]+$/.test(key)) throw new Error('MAILER_API_KEY must be one word of plain characters')
  const parsed = URL.canParse(url) ? new URL(url) : null
  if (!parsed || !/^https?:$/.test(parsed.protocol) || parsed.username || parsed.password)
    throw new Error('MAILER_API_URL must be an address that begins with https://, without a user name or password')
  if (parsed.protocol === 'http:' && !isLoopbackHost(parsed.hostname))
    throw new Error('MAILER_API_URL must begin with https://: the key would travel in clear')
  return { kind: 'http', url: parsed.href, key }
}

// The URL may contain a password, so no message repeats it.
function smtpTarget(text: string): SmtpTarget {
  const url = URL.canParse(text) ? new URL(text) : null
  if (!url || !/^smtps?:$/.test(url.protocol) || !url.hostname || !['', '/'].includes(url.pathname) || url.hash)
    throw new Error('SMTP_URL must look like smtp://user:password@mail.example.com:587 or smtps://mail.example.com')
  const unknown = [...url.searchParams.keys()].find((name) => name !== 'tls')
  if (unknown !== undefined)
    throw new Error(`SMTP_URL has an unknown option "${unknown}"; there is tls=${encryptions.join('|')}`)
  const secure = url.protocol === 'smtps:'
  const asked = url.searchParams.get('tls')
  if (asked !== null && (secure || !encryptions.includes(asked as Encryption)))
    throw new Error(
      secure
        ? 'SMTP_URL: smtps:// is always encrypted and takes no tls option'
        : `SMTP_URL: tls must be one of ${encryptions.join(', ')}`,
    )
  const host = url.hostname.replace(/^\[|\]$/g, '')
  return {
    kind: 'smtp',
    host,
    port: url.port ? Number(url.port) : secure ? 465 : 587,
    secure,
    // A mail server on this machine rarely has a valid certificate, and loopback cannot be intercepted.
    encryption: (asked as Encryption | null) ?? (isLoopbackHost(host) ? 'never' : 'required'),
    auth: url.username ? { user: decoded(url.username), pass: decoded(url.password) } : null,
  }
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    throw new Error('SMTP_URL: write a % in the user name or password as %25')
  }
}
