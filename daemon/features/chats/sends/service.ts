import { hash } from 'node:crypto'
import type { App } from '#kernel/app'
import type { Actor, Web } from '#kernel/feature'
import { problem } from '#kernel/problem'
import { type Key, queries } from './queries.ts'

/** What was sent, where, by whom, and the key that the client gave it. */
export interface Sending {
  actor: Actor
  chatId: string
  body: { client_id?: string }
  web?: Web
}

/**
 * Sends once under a key of the client's own, in `client_id` or `Idempotency-Key`: the same again has the same answer,
 * and something else under that key is refused. `content` is what makes it the same.
 */
export function once<R extends object>(app: App, sending: Sending, content: unknown, send: () => R): R {
  const client = keyOf(sending)
  if (client === null) return send()
  const key: Key = { chat: sending.chatId, user: sending.actor.id, client }
  const digest = hash('sha256', JSON.stringify(content))
  const known = queries(app.db).find.get(key)
  if (known && known.digest !== digest) throw problem('client_id_taken', { field: 'client_id' })
  if (known) return JSON.parse(known.reply_json) as R
  const reply = send()
  queries(app.db).insert.run({ ...key, digest, reply: JSON.stringify(reply), at: app.clock() })
  return reply
}

const longest = 128

function keyOf({ body, web }: Sending): string | null {
  const header = web?.request.headers['idempotency-key']
  if (header === undefined) return body.client_id ?? null
  if (typeof header !== 'string' || header === '' || header.length > longest)
    throw problem('invalid_field', {
      field: 'client_id',
      detail: `Idempotency-Key must have 1 to ${longest} characters`,
    })
  if (body.client_id !== undefined && body.client_id !== header)
    throw problem('invalid_field', { field: 'client_id', detail: 'client_id and Idempotency-Key are not the same' })
  return header
}

const keptMs = 7 * 86_400_000

/** Forgets keys that no client sends again. */
export const sweepSends = (app: App): void => void queries(app.db).forget.run(app.clock() - keptMs)
