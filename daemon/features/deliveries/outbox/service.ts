import type { NotificationPriority } from '#contract/channels'
import { fact } from '#contract/entries'
import type { App } from '#kernel/app'
import { firstBytes } from '#kernel/cut'
import { bySystem } from '#kernel/journal/about-user'
import { untilWritten } from '#kernel/store/until-written'
import { timeAt } from '#kernel/time-at'
import { noteFails, noteWorks } from '../../channels/health/service.ts'
import { outsideQuiet } from '../../channels/hours/service.ts'
import { DeliveryError, type Message, sendMessage } from '../../channels/sending/service.ts'
import { type ChannelRow, channelById, nameOf, targetOf } from '../../channels/service.ts'
import { membershipOf } from '../../members/service.ts'
import { broadcastOf, reachOf } from '../broadcasts/service.ts'
import { queries, type Row } from '../queries.ts'
import { isExempt, linksOf, nextAttempt, nextBroadcast } from '../rules.ts'

interface Stored {
  title: string
  body: string
  priority: NotificationPriority
  vars?: Record<string, unknown>
}

/** The message of a delivery; that of a summary says how many were held. */
function messageOf(app: App, row: Row): Message {
  const { id, category, source_kind, source_id } = row
  const stored = JSON.parse(row.message_json!) as Stored
  const flow = { channel: row.channel_id, user: row.user_id, category }
  const held = source_kind === 'summary' ? queries(app.db).held.get({ ...flow, since: row.created_at })! : 0
  const { priority, vars } = stored
  const { title, body } =
    source_kind === 'digest'
      ? digestOf(queries(app.db).inDigest.all(id))
      : { title: held ? `${held} more of ${category} were held back` : stored.title, body: stored.body }
  const links = linksOf(row, app.config.publicUrl)
  if (source_kind === 'broadcast') return broadcastOf(app, row)
  const shown = links[0] && { url: links[0].url, links }
  return {
    id,
    title,
    body,
    links,
    priority,
    webhook: {
      header: 'X-Svc-Category',
      name: category,
      body: {
        category,
        title,
        ...(body && { body }),
        priority,
        source_kind,
        source_id,
        ...shown,
        ...(vars && { vars }),
      },
    },
  }
}

/** Most titles that a digest says, and most bytes of them. */
const [mostTitles, titlesLimit] = [50, 8 * 1024]

/** What waited, in one message. */
function digestOf(rows: readonly Row[]): { title: string; body: string } {
  const titles = rows.slice(0, mostTitles).map(({ title }) => `- ${title}`)
  const shown = firstBytes(titles.join('\n'), titlesLimit)
  const more = rows.length - mostTitles
  const title = rows.length === 1 ? 'One message waited' : `${rows.length} messages waited`
  return { title, body: more > 0 ? `${shown}\nand ${more} more` : shown }
}

/** Why a message is not sent after all; null when it is. */
function hindrance(app: App, row: Row, channel: ChannelRow | undefined): [Row['status'], string] | null {
  if (!channel) return ['failed', 'the channel was deleted']
  if (!channel.enabled) return ['failed', 'the channel was paused']
  return row.user_id === null || membershipOf(app, row.workspace_id, row.user_id)
    ? null
    : ['dropped_pref', 'that person left the workspace']
}

/** Makes one attempt to send a message, and stores what became of it. */
export async function attempt(app: App, row: Row, signal: AbortSignal): Promise<void> {
  const channel = channelById(app, row.channel_id)
  const hindered = hindrance(app, row, channel)
  if (hindered) return untilWritten(app, () => end(app, row, channel, hindered[0], hindered[1]))
  const target = targetOf(app, channel!)
  if (!target) return untilWritten(app, () => end(app, row, channel, 'failed', 'its secret cannot be opened'))
  try {
    const mayReach = reachOf(app, row)
    await sendMessage(app, target, messageOf(app, row), { signal, ...(mayReach && { mayReach }) })
  } catch (error) {
    // A daemon that stops has not failed: the attempt is made again after its start.
    if (signal.aborted) return
    const failure = error instanceof DeliveryError ? error : new DeliveryError('sending failed', true)
    if (!(error instanceof DeliveryError)) app.log.error({ err: error }, 'A message could not be sent')
    return untilWritten(app, () => failed(app, row, channel!, failure))
  }
  await untilWritten(app, () => {
    noteWorks(app, channel!)
    end(app, { ...row, attempts: row.attempts + 1 }, channel, 'sent', null)
  })
}

function failed(app: App, before: Row, channel: ChannelRow, { message, temporary, retryAfterMs }: DeliveryError): void {
  const row = { ...before, attempts: before.attempts + 1 }
  const next = temporary ? nextOf(app, row, retryAfterMs) : null
  if (next === null) end(app, row, channel, 'failed', message)
  else {
    const { id, attempts } = row
    const updated_at = timeAt(app.clock())
    queries(app.db).settle.run({
      id,
      status: 'failed',
      error: message,
      attempts,
      next_at: next,
      updated_at,
      sent_at: null,
    })
  }
  noteFails(app, channel, message)
}

/** When a message is tried again: not while that person is left in peace. */
function nextOf(app: App, { attempts, category, user_id: user }: Row, retryAfterMs?: number): number | null {
  if (user === null) return nextBroadcast(attempts, app.clock(), retryAfterMs)
  const again = nextAttempt(attempts, app.clock(), retryAfterMs)
  return again === null ? null : outsideQuiet(app, { user, urgent: isExempt(category) }, again)
}

function end(app: App, row: Row, channel: ChannelRow | undefined, status: Row['status'], error: string | null): void {
  const { id, attempts, workspace_id, channel_id, user_id, category, title } = row
  const now = timeAt(app.clock())
  const sent_at = status === 'sent' ? now : null
  queries(app.db).settle.run({ id, status, error, attempts, next_at: null, updated_at: now, sent_at })
  if (row.source_kind === 'digest')
    for (const waited of queries(app.db).inDigest.all(id)) end(app, waited, channel, status, error)
  if (row.source_kind === 'broadcast') queries(app.db).drop.run(id)
  const kind = channel ? nameOf(channel) : 'deleted'
  const payload = {
    delivery_id: id,
    channel_id,
    channel: kind,
    ...(user_id !== null && { user_id }),
    category,
    title,
    ...(error && { reason: error }),
  }
  const name = status === 'sent' ? 'delivered' : status === 'failed' ? 'failed' : 'dropped'
  app.journal(fact(`notification.${name}`, payload, { workspace_id, ...bySystem }))
}
