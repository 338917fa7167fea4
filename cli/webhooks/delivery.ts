import { createHmac } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import type { Entry } from '#contract/entries'
import { cleanLine } from '../output/clean.ts'
import type { Printer } from '../output/printer.ts'
import type { Target } from './target.ts'

/** What became of an entry that was sent. */
export interface Delivery {
  delivery_id: string
  entry_id: string
  entry_type: string
  url: string
  /** Null when no answer came. */
  status: number | null
  ok: boolean
  attempts: number
  duration_ms: number
  error: string | null
}

/** The members of a delivery, for `--json`. */
export const deliveryMembers = [
  ...['delivery_id', 'entry_id', 'entry_type', 'url', 'status', 'ok', 'attempts', 'duration_ms', 'error'],
]

const timeoutMs = 15_000
/** Before the second and the third attempt. */
const waitsMs = [200, 400]

/** Sends an entry as a webhook until it is taken, refused for good, or was tried three times. */
export async function deliver(entry: Entry, target: Target): Promise<Delivery> {
  const started = Date.now()
  // The same at every attempt, so that receivers know an entry that comes twice.
  const delivery_id = `del_${entry.id.replace(/^j_/, '')}`
  const body = JSON.stringify(entry)
  for (let attempts = 1; ; attempts++) {
    const { status, error } = await attempt(body, target, headersOf(entry, delivery_id, body, target.secret))
    const ok = status !== null && status >= 200 && status < 300
    const isFinal = ok || (status !== null && status < 500 && status !== 429)
    const wait = waitsMs[attempts - 1]
    if (!isFinal && wait !== undefined) await pause(wait)
    else {
      const { id: entry_id, entry_type } = entry
      const duration_ms = Date.now() - started
      return { delivery_id, entry_id, entry_type, url: target.url, status, ok, attempts, duration_ms, error }
    }
  }
}

function headersOf(entry: Entry, id: string, body: string, secret: string): Record<string, string> {
  return {
    'content-type': 'application/json',
    'user-agent': 'svc-notify/1',
    'x-svc-signature': `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`,
    'x-svc-event': entry.entry_type,
    'x-svc-delivery': id,
    'x-svc-timestamp': String(Math.floor(Date.now() / 1000)),
    ...('sample' in entry && { 'x-svc-sample': 'true' }),
  }
}

type Attempt = Pick<Delivery, 'status' | 'error'>

async function attempt(body: string, { url }: Target, headers: Record<string, string>): Promise<Attempt> {
  try {
    const signal = AbortSignal.timeout(timeoutMs)
    const answer = await fetch(url, { method: 'POST', headers, body, redirect: 'manual', signal })
    await answer.body?.cancel()
    return { status: answer.status, error: null }
  } catch (error) {
    return { status: null, error: reasonOf(error as Error & { cause?: Error & { code?: string } }) }
  }
}

function reasonOf({ name, message, cause }: Error & { cause?: Error & { code?: string } }): string {
  if (name === 'TimeoutError') return `no answer within ${timeoutMs / 1000} s`
  return cause?.message || cause?.code || message
}

/** Tells of a delivery: a line for people or a tab-separated one, or the delivery itself. */
export async function tellDelivery(out: Printer, it: Delivery): Promise<void> {
  const { format } = out.wanted
  const time = new Date()
  if (format === 'name') return out.item(it, it.delivery_id)
  if (format === 'table' || (format === 'auto' && out.terminal)) return out.item(it, lineOf(out, it, time))
  const cells = [time.toISOString(), it.entry_type, it.entry_id, it.status ?? '', it.attempts, it.duration_ms, it.error]
  await out.item(it, cells.map((cell) => cleanLine(String(cell ?? ''))).join('\t'))
}

/** "12:00:01  --> run.failed j_0123456789abcdef  <-- 200 in 12 ms" */
function lineOf({ paint }: Printer, it: Delivery, time: Date): string {
  const answer = it.ok ? paint('green', String(it.status)) : paint('red', cleanLine(String(it.status ?? it.error)))
  const tries = it.attempts > 1 ? `, ${it.attempts} attempts` : ''
  const sent = `${paint('dim', time.toLocaleTimeString('sv-SE'))}  --> ${cleanLine(it.entry_type)} ${it.entry_id}`
  return `${sent}  <-- ${answer} in ${it.duration_ms} ms${tries}`
}
