import { randomBytes } from 'node:crypto'
import type { App } from '#kernel/app'
import type { Happened } from '#kernel/facts'
import { timeAt } from '#kernel/time-at'
import type { Message } from '../../channels/sending/service.ts'
import { type ChannelRow, channelsHearing } from '../../channels/service.ts'
import { crewAllows } from '../../crews/service.ts'
import { queries as outbox, type Row } from '../queries.ts'
import { cut } from '../rules.ts'
import { queries } from './queries.ts'

/** The end of a routine's run, as it stands in the outbox. */
interface Ended {
  event: 'run.completed' | 'run.failed'
  run_id: string
  routine: string
  status: 'completed' | 'failed'
  output: string
  triggered_by: string
  /** Whose network policy counts. */
  crew: string | null
}

export function completed(app: App, happened: Happened<'routine_run.completed'>): void {
  tell(app, happened, 'completed')
}

export function failed(app: App, happened: Happened<'routine_run.failed'>): void {
  tell(app, happened, 'failed', happened.payload.error_message)
}

/** Puts the end of a run into the outbox, for each channel of the workspace that is to hear of such. */
function tell(
  app: App,
  { recorded, payload, about }: Happened<'routine_run.completed' | 'routine_run.failed'>,
  status: Ended['status'],
  reason?: string,
): void {
  const event = `run.${status}` as const
  const channels = channelsHearing(app, about.workspace_id!, event)
  const run = channels.length ? queries(app.db).run.get(payload.run_id) : undefined
  if (run?.mode !== 'run') return
  const ended: Ended = {
    event,
    run_id: payload.run_id,
    routine: payload.pipeline_slug,
    status,
    output: reason ?? textOf(run.output_json),
    triggered_by: run.triggered_via,
    crew: run.crew_id,
  }
  for (const channel of channels) put(app, channel, ended, recorded[0]!.entry.id)
  app.afterCommit(() => app.bus.emit('deliver', app.clock()))
}

/** Far more of an output than is shown, since secrets are taken out of the whole before it is cut. */
const most = 64 * 1024

function textOf(json: string | null): string {
  const value: unknown = json === null ? null : JSON.parse(json)
  return (value === null ? '' : typeof value === 'string' ? value : JSON.stringify(value)).slice(0, most)
}

function put(app: App, { id: channel_id, workspace_id }: ChannelRow, ended: Ended, event_id: string): void {
  const now = timeAt(app.clock())
  const { event, run_id, routine, status } = ended
  const row: Row = {
    id: `del_${randomBytes(8).toString('hex')}`,
    workspace_id,
    channel_id,
    user_id: null,
    event_id,
    category: event,
    dedup_key: `${event}:${run_id}`,
    source_kind: 'broadcast',
    source_id: run_id,
    title: `routine ${routine} ${status}`,
    message_json: JSON.stringify(ended),
    status: 'pending',
    error: null,
    attempts: 0,
    next_at: app.clock(),
    created_at: now,
    updated_at: now,
    sent_at: null,
    digest_id: null,
  }
  outbox(app.db).insert.get(row)
}

const read = ({ message_json }: Row) => JSON.parse(message_json!) as Ended

/** The message of the end of a run. Contract, part 1, section 9.2. */
export function broadcastOf(app: App, row: Row): Message {
  const { event, run_id, routine, status, output, triggered_by } = read(row)
  const preview = cut(app.scrub({ workspace_id: row.workspace_id, agent_id: '' }, [])(output))
  return {
    id: row.id,
    title: row.title,
    body: preview,
    links: [],
    priority: status === 'failed' ? 'high' : 'low',
    webhook: {
      header: 'X-Svc-Event',
      name: event,
      body: { event, run_id, routine, status, ...(preview && { output_preview: preview }), triggered_by },
    },
  }
}

/** Where a message may be sent to: the end of a run no further than the crew of its routine. */
export function reachOf(app: App, row: Row): ((host: string) => boolean) | null {
  const crew = row.source_kind === 'broadcast' ? read(row).crew : null
  return crew === null ? null : (host) => crewAllows(app, row.workspace_id, crew, host)
}
