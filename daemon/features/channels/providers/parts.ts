import { firstBytes } from '#kernel/cut'
import { type Field, FieldFlaw, type Fields, type Request } from './types.ts'

export const text = (key: string, label: string, more: Partial<Field> = {}): Field => ({
  key,
  label,
  type: 'text',
  required: false,
  ...more,
})
export const needed = (key: string, label: string, more: Partial<Field> = {}): Field =>
  text(key, label, { required: true, ...more })
export const secret = (key: string, label: string, more: Partial<Field> = {}): Field =>
  text(key, label, { type: 'password', required: true, secret: true, ...more })

/** The address of a service on somebody's own server, without scheme and last slash. */
export function serverIn(fields: Fields, key: string, fallback = '', mayHavePath = false): string {
  const server = (fields[key] || fallback).replace(/^https?:\/\//i, '').replace(/\/+$/, '')
  const path = mayHavePath ? '(/[A-Za-z0-9._~/-]*)?' : ''
  if (!new RegExp(`^[A-Za-z0-9.-]+(:\\d{1,5})?${path}$`).test(server))
    throw new FieldFlaw(key, `${key} must be the name of a server, such as ${fallback || 'chat.example.com'}`)
  return server
}

/** A URL that somebody copied from a service, which has to lead to that service. */
export function webhookIn(fields: Fields, isOfService: (host: string) => boolean, example: string): URL {
  const given = fields['webhook_url']!
  const url = URL.canParse(given) ? new URL(given) : null
  if (url?.protocol !== 'https:' || url.username || !isOfService(url.hostname) || (url.port && url.port !== '443'))
    throw new FieldFlaw('webhook_url', `webhook_url must be one of the service, such as ${example}`)
  return url
}

export const partsOf = (url: URL): string[] => url.pathname.split('/').filter(Boolean)

/** A part of a service URL as it was entered. */
export const plain = (part: string): string => {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

export const escaped = encodeURIComponent

export const json = (url: string, body: object, more: Partial<Request> = {}): Request => ({
  ...more,
  url,
  headers: { 'content-type': 'application/json', ...more.headers },
  body: JSON.stringify(body),
})

/** At most so many characters, with an ellipsis where something is left out. */
export function atMost(words: string, most: number): string {
  const characters = [...words]
  return characters.length > most ? `${characters.slice(0, most - 1).join('')}…` : words
}

/** At most so many bytes of UTF-8, with an ellipsis where something is left out. */
export const bytesAtMost = (words: string, most: number): string =>
  Buffer.byteLength(words) <= most ? words : `${firstBytes(words, most - 3)}…`

/** Pieces of at most so many characters, cut at line ends where there are such. */
export function pieces(words: string, most: number): string[] {
  const all: string[] = []
  let rest = words
  while (rest.length > most) {
    const line = rest.lastIndexOf('\n', most)
    const end = line > most / 2 ? line : /[\ud800-\udbff]/.test(rest[most - 1]!) ? most - 1 : most
    all.push(rest.slice(0, end))
    rest = rest.slice(end).replace(/^\n/, '')
  }
  return [...all, rest]
}

/** Without the power to call everybody: an invisible character keeps `@all` from being one. */
export const quiet = (words: string): string => words.replace(/@(?=[A-Za-z])/g, '@\u200b')
