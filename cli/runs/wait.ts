import type { Static } from 'typebox'
import type { Client, Connection } from '#client'
import type { InboxItem } from '#contract/inbox'
import type { Run, RunStatus } from '#contract/runs'
import { whereIAm } from '../inbox/here.ts'
import { news } from '../inbox/news.ts'
import { patiently } from '../patiently.ts'

type RunRow = Static<typeof Run>
type Item = Static<typeof InboxItem>

export interface Waited {
  run_id: string
  status: RunStatus | 'NEEDS_HUMAN'
  exit_code: number | null
  error: string | null
  /** What waits for a person. */
  inbox_id: string | null
  title: string | null
}

export interface Waiting {
  api: Client
  connection: Connection
  runId: string
  /** Slug or id of the workspace. */
  workspace: string | undefined
  /** Goes on over questions to people until they are decided. */
  untilDecided: boolean
  /** Ends the waiting. */
  signal: AbortSignal
  onState(lost?: Error): void
}

/** How long a server may be away, in milliseconds. */
const patience = 120_000
const ends = new Set(['run.completed', 'run.failed'])

/**
 * Waits until a run is over or waits for a person. Null when the signal ended it first. Nothing is asked twice in
 * between: the server says when something changed.
 */
export async function waitForRun(it: Waiting): Promise<Waited | null> {
  const { api, connection, runId, signal, untilDecided } = it
  // A server that is not there at all is no reason to wait.
  await api.runs.show({ runId })
  const early = await check(it)
  if (early) return early
  const { workspaceId } = await whereIAm(api, it.workspace)
  for await (const event of news(connection, `workspace:${workspaceId}`, { signal, patience })) {
    if (event.type === 'lost') it.onState(event.error)
    else if (event.type === 'connected' && event.again) it.onState()
    const changed =
      event.type === 'connected' ||
      (event.type === 'event' &&
        ((ends.has(event.name) && event.payload['run_id'] === runId) ||
          concernsItems(event.name, event.payload, untilDecided)))
    const found = changed ? await check(it) : null
    if (found) return found
  }
  return null
}

/** New items make a run wait for people; decided ones let it be over. */
const concernsItems = (name: string, { state }: Record<string, unknown>, untilDecided: boolean): boolean =>
  name === 'inbox.updated' && (untilDecided ? state !== 'unread' : state === 'unread')

async function check({ api, runId, untilDecided, signal }: Waiting): Promise<Waited | null> {
  const run = await patiently(() => api.runs.show({ runId }), patience)
  if (signal.aborted) return null
  const item =
    run.status === 'RUNNING' || run.status === 'COMPLETED' ? await patiently(() => openItem(api, run), patience) : null
  if (item && untilDecided) return null
  if (item)
    return { run_id: runId, status: 'NEEDS_HUMAN', exit_code: null, error: null, inbox_id: item.id, title: item.title }
  if (run.status === 'RUNNING') return null
  return {
    run_id: runId,
    status: run.status,
    exit_code: run.exit_code,
    error: run.error_message,
    inbox_id: null,
    title: null,
  }
}

const waitingKinds = ['escalation', 'run_needs_human', 'waitpoint'] as const

/** What a run waits for: the newest open item of its own that blocks on a person. */
async function openItem(api: Client, run: RunRow): Promise<{ id: string; title: string } | null> {
  return (await asked(api, run)) ?? (await visibleItem(api, run))
}

async function visibleItem(api: Client, run: RunRow): Promise<Item | null> {
  for (const kind of waitingKinds) {
    for (let offset = 0; ; ) {
      const { rows, has_more } = await api.inbox.list({ query: { kind, state: 'active', limit: 500, offset } })
      const found = rows.find((item) => item.blocking && isOf(item, run))
      if (found) return found
      offset += rows.length
      // Older items are of older runs.
      if (!has_more || Date.parse(rows.at(-1)!.created_at) < whole(run.started_at)) break
    }
  }
  return null
}

function isOf({ source_id, payload = {}, created_at }: Item, { id, chat_id, started_at }: RunRow): boolean {
  const context = payload['context'] as { run?: unknown } | undefined
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
