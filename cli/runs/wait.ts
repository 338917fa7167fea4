import type { Client, Connection } from '#client'
import type { RunStatus } from '#contract/runs'
import { whereIAm } from '../inbox/here.ts'
import { news } from '../inbox/news.ts'
import { patiently, runPatience } from '../patiently.ts'
import { openItem } from './items.ts'
import type { Unattended } from './unattended.ts'

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
  /** Denies what people are asked meanwhile. */
  unattended?: Unattended | undefined
  /** Ends the waiting. */
  signal: AbortSignal
  onState(lost?: Error): void
}

const ends = new Set(['run.completed', 'run.failed'])

/**
 * Waits until a run is over or waits for a person. Null when the signal ended it first. Nothing is asked twice in
 * between: the server says when something changed.
 */
export async function waitForRun(it: Waiting): Promise<Waited | null> {
  const { api, connection, runId, signal } = it
  // A server that is not there at all is no reason to wait.
  await api.runs.show({ runId })
  const early = await check(it)
  if (early) return early
  const { workspaceId } = await whereIAm(api, it.workspace)
  for await (const event of news(connection, `workspace:${workspaceId}`, { signal, patience: runPatience })) {
    if (event.type === 'lost') it.onState(event.error)
    else if (event.type === 'connected' && event.again) it.onState()
    const changed =
      event.type === 'connected' ||
      (event.type === 'event' &&
        ((ends.has(event.name) && event.payload['run_id'] === runId) || concernsItems(event.name, event.payload, it)))
    const found = changed ? await check(it) : null
    if (found) return found
  }
  return null
}

/** New items make a run wait for people; decided ones let it be over. */
const concernsItems = (name: string, { state }: Record<string, unknown>, { unattended, untilDecided }: Waiting) =>
  name === 'inbox.updated' && (unattended !== undefined || (untilDecided ? state !== 'unread' : state === 'unread'))

async function check({ api, runId, untilDecided, unattended, signal }: Waiting): Promise<Waited | null> {
  const run = await patiently(() => api.runs.show({ runId }), runPatience)
  if (signal.aborted) return null
  await unattended?.deny(run)
  const item =
    run.status === 'RUNNING' || run.status === 'COMPLETED'
      ? await patiently(() => openItem(api, run), runPatience)
      : null
  const open = item && !unattended?.has(item.id) ? item : null
  if (open && untilDecided) return null
  if (open)
    return { run_id: runId, status: 'NEEDS_HUMAN', exit_code: null, error: null, inbox_id: open.id, title: open.title }
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
