import { hash } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { problem } from '#kernel/problem'
import { isOnTime, lateSeconds, sameText, signatureOf } from '#kernel/signatures'

/** A call as it came. */
export interface Received {
  headers: IncomingHttpHeaders
  body: string
}

const one = (value: string | string[] | undefined) => (typeof value === 'string' ? value : undefined)

/**
 * Refuses a call that was not signed with the secret, and returns its signature in one spelling. GitHub's header is
 * read as well, so that GitHub can call without a program in between.
 */
export function proofOf({ headers, body }: Received, secret: string, nowMs: number): string {
  const signature = one(headers['x-webhook-signature']) ?? one(headers['x-hub-signature-256'])
  if (signature === undefined) throw problem('webhook_unsigned', { detail: 'X-Webhook-Signature is missing' })
  const stamp = one(headers['x-webhook-timestamp'])
  if (stamp !== undefined && !isOnTime(stamp, nowMs))
    throw problem('webhook_unsigned', {
      detail: `X-Webhook-Timestamp must be the present time in seconds since 1970, at most ${lateSeconds} seconds off`,
    })
  const proof = signature.toLowerCase().replace(/^sha256=/, '')
  if (!sameText(proof, signatureOf(secret, body, stamp)))
    throw problem('webhook_unsigned', { detail: 'X-Webhook-Signature is wrong' })
  return proof
}

/**
 * What a call is known by when it comes again: its signature, and the id that the caller gave it. The id alone would
 * not do, since it is not signed.
 */
export function keysOf(headers: IncomingHttpHeaders, proof: string): string[] {
  const id = one(headers['x-webhook-event-id']) ?? one(headers['x-github-delivery'])
  return [['signature', proof], ...(id ? [['id', id]] : [])].map((key) => hash('sha256', JSON.stringify(key)))
}

const secretHeaders = new Set([
  'authorization',
  'proxy-authorization',
  'cookie',
  'x-webhook-signature',
  'x-hub-signature',
  'x-hub-signature-256',
])

/** Headers that a routine may read. */
export const headersFor = (headers: IncomingHttpHeaders): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined || secretHeaders.has(name) ? [] : [[name, String(value)]],
    ),
  )
