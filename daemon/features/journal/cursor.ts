import { problem } from '#kernel/problem'
import { parseTime } from './time.ts'

/** The id of the entry that a cursor stands for. Throws `invalid_field` for an invalid cursor. */
export function readCursor(text: string): string {
  const parts = /^[A-Za-z0-9_-]{8,200}$/.test(text) ? parsed(Buffer.from(text, 'base64url').toString()) : null
  const [ts, id] = Array.isArray(parts) && parts.length === 2 ? parts : []
  if (typeof ts === 'string' && parseTime(ts) && typeof id === 'string' && /^j_[0-9a-f]{16}$/.test(id)) return id
  throw problem('invalid_field', { field: 'cursor', detail: 'cursor must be the next_cursor of the previous page' })
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
