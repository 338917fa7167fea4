import type { Static } from 'typebox'
import type { Client } from '#client'
import type { InboxItem } from '#contract/inbox'
import type { Run } from '#contract/runs'

type RunRow = Static<typeof Run>
type Item = Static<typeof InboxItem>

const waitingKinds = ['escalation', 'run_needs_human', 'waitpoint'] as const

/** What a run waits for: the newest open item of its own that blocks on a person. */
export async function openItem(api: Client, run: RunRow): Promise<{ id: string; title: string } | null> {
  return (await asked(api, run)) ?? (await visibleItem(api, run))
}

async function visibleItem(api: Client, run: RunRow): Promise<Item | null> {
  for (const kind of waitingKinds)
    for await (const rows of pages(api, kind, run)) {
      // An approval holds back what was asked for, not the run.
      const found = rows.find((it) => it.blocking && it.decides?.operation !== 'approvals.decide' && isOf(it, run))
      if (found) return found
    }
  return null
}

/** All open items since the run began that wait for people whom the caller is one of. */
export async function openItems(api: Client, run: RunRow): Promise<Item[]> {
  const items: Item[] = []
  for (const kind of waitingKinds) for await (const rows of pages(api, kind, run)) items.push(...rows)
  return items
}

async function* pages(api: Client, kind: (typeof waitingKinds)[number], run: RunRow): AsyncGenerator<Item[]> {
  for (let offset = 0; ; ) {
    const { rows, has_more } = await api.inbox.list({ query: { kind, state: 'active', limit: 500, offset } })
    yield rows
    offset += rows.length
    // Older items are of older runs.
    if (!has_more || Date.parse(rows.at(-1)!.created_at) < whole(run.started_at)) return
  }
}

/** Whether it is about this run. */
export function isOf(
  { source_id, run_id, payload = {}, created_at }: Item,
  { id, chat_id, started_at }: RunRow,
): boolean {
  const context = payload['context'] as { run?: unknown } | undefined
  if (run_id === id) return true
  if ([source_id, payload['run_id'], payload['pipeline_run_id'], context?.run].includes(id)) return true
  return chat_id !== null && payload['chat_id'] === chat_id && Date.parse(created_at) >= whole(started_at)
}

/** Times of items are whole seconds. */
const whole = (time: string): number => Math.floor(Date.parse(time) / 1000) * 1000

/**
 * Questions of the run as the journal has them: whoever may read the run sees these, also when the item is for others.
 */
async function asked(api: Client, { id }: RunRow): Promise<{ id: string; title: string } | null> {
  const query = { run_id: id, entry_type: 'peer.escalation,run.parked,run.resumed', limit: 100 }
  const { entries } = await api.journal.list({ query })
  const settled = new Set<unknown>()
  for (const { entry_type, payload = {}, refs = {}, summary } of entries) {
    const about = entry_type === 'peer.escalation' ? refs['escalation_id'] : 'run'
    if (typeof about !== 'string' || settled.has(about)) continue
    if (entry_type === 'run.parked')
      return { id: String(payload['inbox_item_id']), title: String(payload['question'] ?? summary) }
    if (payload['state'] === 'pending')
      return { id: `ibx_escalation_${about}`, title: String(payload['reason'] ?? summary) }
    settled.add(about)
  }
  return null
}
