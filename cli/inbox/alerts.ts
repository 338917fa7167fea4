import { type Client, type Connection, ProblemError } from '#client'
import { cleanLine } from '../output/clean.ts'
import { shorten } from '../output/width.ts'
import type { Detail, Item } from './decisions.ts'
import type { Here } from './here.ts'
import { news } from './news.ts'

/** As many open items as are known from the beginning. */
const known = 500
export const noticeWidth = 120

export interface AlertsOptions {
  here: Here
  signal: AbortSignal
  /** Something in the inbox has changed, whatever it is. */
  changed?: () => void
}

/**
 * Items as they come before the user, each once, also those that came while the connection was lost. Ends by its signal
 * alone.
 */
export async function* alerts(
  api: Client,
  connection: Connection,
  { here, signal, changed }: AlertsOptions,
): AsyncGenerator<Detail> {
  const seen = new Set<string>()
  // An item that is raised again is a new one.
  const fresh = (item: Item): boolean => {
    const version = `${item.id} ${item.created_at}`
    const before = seen.has(version)
    seen.add(version)
    return !before && item.state === 'unread'
  }
  for await (const event of news(connection, `workspace:${here.workspaceId}`, { signal })) {
    if (event.type === 'connected' || (event.type === 'event' && event.name === 'inbox.updated')) changed?.()
    if (event.type === 'connected') {
      const { rows } = await api.inbox.list({ query: { state: 'active', limit: known } })
      const missed = rows.filter(fresh)
      if (event.again) yield* missed.reverse()
    } else if (event.type === 'event' && event.name === 'inbox.updated' && event.payload['state'] === 'unread') {
      const { id } = event.payload
      const item = typeof id === 'string' ? await visible(api, id) : null
      if (item && fresh(item)) yield item
    }
  }
}

/** The item, if it is for the user and still there. */
export async function visible(api: Client, itemId: string): Promise<Detail | null> {
  try {
    return await api.inbox.show({ itemId })
  } catch (error) {
    if (error instanceof ProblemError && error.problem.status === 404) return null
    throw error
  }
}

/**
 * Whether an item is worth disturbing the user for: somebody waits, or it is urgent, and it is neither the user's own
 * nor what the open chat shows.
 */
export function isAlert(
  { userId }: Here,
  { kind, blocking, priority, payload, sender_type, sender_id }: Item,
  openChat: string | null = null,
): boolean {
  if (sender_type === 'user' && sender_id === userId) return false
  if (kind === 'message' && openChat !== null && payload?.['chat_id'] === openChat) return false
  return blocking || priority === 'high' || priority === 'urgent'
}

/** The words of a notice: who wants what. */
export const noticeOf = ({ title, sender_name }: Item): string => {
  const [who, what] = [cleanLine(sender_name ?? ''), cleanLine(title)]
  return who && !what.startsWith(who) ? `${who}: ${what}` : what
}

/** Rings the terminal, and shows a notice where the terminal knows how (OSC 9). */
export const ring = (output: { write(text: string): unknown }, item: Item): void =>
  void output.write(`\u0007\u001b]9;${shorten(noticeOf(item).replaceAll(';', ','), noticeWidth)}\u0007`)
