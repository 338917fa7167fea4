import { randomBytes } from 'node:crypto'
import type { NotificationCategory, NotificationPriority } from '#contract/channels'
import { fact } from '#contract/entries'
import type { App } from '#kernel/app'
import { bySystem } from '#kernel/journal/about-user'
import { oneLine } from '#kernel/mail/letter'
import { timeAt } from '#kernel/time-at'
import { outsideQuiet, waitsUntil } from '../../channels/hours/service.ts'
import { hasChannels } from '../../channels/service.ts'
import { type Wanting, wanting } from '../../channels/wishes/service.ts'
import { worded } from '../../templates/service.ts'
import { queries, type Row } from '../queries.ts'
import { cut, isExempt, mostInWindow, refusalOf, windowMs } from '../rules.ts'

/** Something that channels may tell of. */
export interface Occasion {
  /** The id of its entry in the journal. */
  id: string
  workspace: string
  category: NotificationCategory
  priority: NotificationPriority
  source: { kind: string; id: string }
  title: string
  body?: string | undefined
  vars?: Record<string, string | number | boolean>
  /** Those whom it concerns. */
  audience: 'all' | readonly string[]
  /** Who did it, and is not told. */
  by: string | null
}

/**
 * Decides who is told through which channel, within the change of what is told. Each decision about somebody who wants
 * the category stands in the log; what nobody wants leaves no trace there.
 */
export function route(app: App, it: Occasion): void {
  if (!hasChannels(app, it.workspace)) return
  const title = oneLine(it.title)
  const occasion = { ...it, title }
  const now = timeAt(app.clock())
  queries(app.db).addEvent.run({
    id: it.id,
    workspace_id: it.workspace,
    category: it.category,
    priority: it.priority,
    source_kind: it.source.kind,
    source_id: it.source.id,
    title,
    audience_json: it.audience === 'all' ? null : JSON.stringify(it.audience),
    created_at: now,
  })
  /** Channels of the workspace that take it, each for one of those who want it there. */
  const taken = new Map<string, string>()
  const wishes = wanting(app, it)
    .filter(({ user_id }) => user_id !== it.by)
    .map((wish) => ({ wish, until: waitsUntil(app, { user: wish.user_id, urgent: isExempt(it.category) }) }))
  // Whoever is not left in peace now comes first: a channel of the workspace takes a message once.
  for (const { wish } of wishes.filter(({ until }) => until === null)) consider(app, occasion, wish, taken, null)
  for (const { wish, until } of wishes) if (until !== null) consider(app, occasion, wish, taken, until)
}

function consider(app: App, it: Occasion, wish: Wanting, taken: Map<string, string>, until: number | null): void {
  const categories = JSON.parse(wish.categories_json) as string[]
  const { category, priority } = it
  const refusal =
    refusalOf({ category, priority, categories, floor: wish.min_priority, muted: wish.muted === 1 }) ??
    (taken.has(wish.channel_id) ? `the channel has this message already (${taken.get(wish.channel_id)})` : null)
  if (refusal) return void store(app, it, wish, { status: 'dropped_pref', error: refusal })
  if (until !== null) {
    const id = hold(app, it, wish, until)
    if (id && !wish.owner_user_id) taken.set(wish.channel_id, id)
    return
  }
  const flow = { channel: wish.channel_id, user: wish.user_id, category }
  const since = timeAt(app.clock() - windowMs)
  const isFull = !isExempt(category) && queries(app.db).recent.get({ ...flow, since })! >= mostInWindow
  if (isFull) {
    const error = `more than ${mostInWindow} of ${category} in ${windowMs / 60_000} minutes`
    if (store(app, it, wish, { status: 'dropped_rate', error })) summarize(app, it, wish)
    return
  }
  const id = store(app, it, wish, { status: 'pending', error: null, next_at: app.clock() })
  if (id && !wish.owner_user_id) taken.set(wish.channel_id, id)
}

type Decided = Pick<Row, 'status' | 'error'> & { next_at?: number; digest_id?: string }

/** What is told: an occasion, or several of them. */
type Told = Omit<Occasion, 'category'> & { category: string }

/** Puts a decision into the log; null when this was decided before. */
function store(app: App, it: Told, wish: Wanting, decided: Decided): string | null {
  const { title, body, category, priority, source, vars } = it
  const now = timeAt(app.clock())
  // A summary has words of its own.
  const kind = source.kind
  const said =
    kind === 'summary' || kind === 'digest' || decided.next_at === undefined
      ? { title, body: body ?? '' }
      : worded(app, {
          workspace: it.workspace,
          channel: wish.channel_id,
          category: category as NotificationCategory,
          kind,
          title,
          body: body ?? '',
          vars: vars ?? {},
        })
  const message = { title: said.title, body: cut(said.body), priority, ...(vars && { vars }) }
  const row: Row = {
    id: `del_${randomBytes(8).toString('hex')}`,
    workspace_id: it.workspace,
    channel_id: wish.channel_id,
    user_id: wish.user_id,
    event_id: it.id,
    category,
    dedup_key: `${category}:${source.id}:${it.id}`,
    source_kind: source.kind,
    source_id: source.id,
    title: said.title,
    message_json: decided.next_at === undefined ? null : JSON.stringify(message),
    attempts: 0,
    created_at: now,
    updated_at: now,
    sent_at: null,
    ...decided,
    next_at: decided.next_at ?? null,
    digest_id: decided.digest_id ?? null,
  }
  if (!queries(app.db).insert.get(row)) return null
  if (row.next_at !== null) wakeAt(app, row.next_at)
  else if (row.digest_id === null) {
    const { id: delivery_id, channel_id } = row
    const { user_id } = wish
    const payload = { delivery_id, channel_id, channel: wish.kind, user_id, category, title, reason: row.error! }
    app.journal(fact('notification.dropped', payload, { workspace_id: it.workspace, ...bySystem }))
  }
  return row.id
}

const wakeAt = (app: App, at: number) => app.afterCommit(() => app.bus.emit('deliver', at))

/** Puts a message for later into the one that tells of all that waited. */
function hold(app: App, it: Occasion, wish: Wanting, until: number): string | null {
  const flow = { channel: wish.channel_id, user: wish.user_id }
  const open = queries(app.db).openDigest.get({ ...flow, now: app.clock() })
  const digest: Told = {
    ...it,
    id: `${it.id}:digest`,
    category: 'digest',
    source: { kind: 'digest', id: wish.user_id },
    title: 'What waited',
    body: '',
  }
  const digest_id = open?.id ?? store(app, digest, wish, { status: 'pending', error: null, next_at: until })
  if (!digest_id) return null
  const error = `waits until ${timeAt(open?.next_at ?? until)}, as that person's quiet hours or digest say`
  return store(app, it, wish, { status: 'pending', error, digest_id })
}

/** What is held is told of in one message, once the window is over. */
function summarize(app: App, it: Occasion, wish: Wanting): void {
  const { category } = it
  if (queries(app.db).summary.get({ channel: wish.channel_id, user: wish.user_id, category })) return
  const id = `${it.id}:held`
  const summary: Occasion = {
    ...it,
    id,
    source: { kind: 'summary', id: category },
    title: `More of ${category}`,
    body: '',
  }
  const next_at = outsideQuiet(app, { user: wish.user_id, urgent: false }, app.clock() + windowMs)
  store(app, summary, wish, { status: 'pending', error: null, next_at })
}
