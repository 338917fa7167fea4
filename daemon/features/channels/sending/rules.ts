import type { NotificationPriority } from '#contract/channels'
import type { Block, Letter } from '#kernel/mail/letter'
import { oneLine } from '#kernel/mail/letter'
import { signatureOf } from '#kernel/signatures'
import { plain } from '../providers/parts.ts'
import type { Note } from '../providers/types.ts'

export interface Link {
  label?: string
  url: string
}

/** A message to be sent. */
export interface Message {
  /** The same at every attempt. */
  id: string
  title: string
  body: string
  links: readonly Link[]
  priority: NotificationPriority
  /** What a webhook is told, and the header that says what it is about. */
  webhook: { header: 'X-Svc-Event' | 'X-Svc-Category'; name: string; body: Record<string, unknown> }
}

/** Where a message goes, its secret open. */
export interface Target {
  type: 'email' | 'webhook' | 'shoutrrr'
  url: string | null
  address: string | null
  provider: string | null
  secret: string | null
}

/** A message was not delivered. `temporary`: another attempt may succeed. It never says a secret. */
export class DeliveryError extends Error {
  readonly temporary: boolean
  readonly retryAfterMs: number | undefined
  constructor(message: string, temporary: boolean, retryAfterMs?: number) {
    super(message)
    this.temporary = temporary
    this.retryAfterMs = retryAfterMs
  }
}

const linkLine = ({ label, url }: Link): string => (label ? `${label}: ${url}` : url)

/** The message for people, in one text. */
export function noteOf({ id, title, body, links, priority }: Message): Note {
  const text = [body.trim(), ...links.map(linkLine)].filter(Boolean).join('\n')
  return { id, title: oneLine(title), text: text || oneLine(title), priority }
}

export function letterOf(to: string, { title, body, links }: Message): Letter {
  const blocks: Block[] = body.trim() ? [{ markdown: body }] : [title]
  const shown = links.map(({ label = 'Open', url }) => ({ link: url, label }))
  return { to, kind: 'notification', subject: `[muster] ${title}`, name: null, blocks: [...blocks, ...shown] }
}

/**
 * The request of a webhook. What is signed is the body as it is sent, and the body names the delivery and the time, so
 * that a receiver can refuse what it had before.
 */
export function webhookRequest(secret: string, { id, webhook }: Message, nowMs: number) {
  const stamp = String(Math.floor(nowMs / 1000))
  const body = JSON.stringify({ ...webhook.body, delivery_id: id, timestamp: Number(stamp) })
  const headers = {
    'Content-Type': 'application/json',
    'user-agent': 'svc-notify/1',
    'X-Svc-Signature': `sha256=${signatureOf(secret, body)}`,
    [webhook.header]: webhook.name,
    'X-Svc-Delivery': id,
    'X-Svc-Timestamp': stamp,
  }
  return { body, headers }
}

/** How long an answer asks to wait, in milliseconds; at most an hour. */
export function retryAfter(header: unknown, nowMs: number): number | undefined {
  if (typeof header !== 'string') return undefined
  const ms = /^\d{1,6}$/.test(header) ? Number(header) * 1000 : Date.parse(header) - nowMs
  return Number.isFinite(ms) && ms > 0 ? Math.min(ms, 3_600_000) : undefined
}

/** Parts of a secret that an answer must not repeat, as they stand in it and as services know them; longest first. */
export function partsOfSecret(secret: string | null): string[] {
  if (!secret) return []
  const whole = [secret, plain(secret)]
  const parts = whole.flatMap((it) => it.split(/[/:@?&=]+/))
  const all = [...whole, ...parts, ...parts.flatMap((part) => part.split('-'))]
  return [...new Set(all)].filter((part) => part.length >= 6).sort((one, other) => other.length - one.length)
}
