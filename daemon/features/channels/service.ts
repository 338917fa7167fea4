import { randomBytes } from 'node:crypto'
import type { channels } from '#contract/channels'
import { mostChannels, mostPersonalChannels } from '#contract/channels'
import type { Reply } from '#contract/define'
import { fact } from '#contract/entries'
import { allows } from '#contract/roles'
import type { App } from '#kernel/app'
import { homeOf, homeRoleOf } from '#kernel/auth/home'
import { actorOf } from '#kernel/dispatch'
import type { Happened } from '#kernel/facts'
import type { Actor, Call } from '#kernel/feature'
import { requireSome } from '#kernel/http/fields'
import { createBuckets } from '#kernel/limits/buckets'
import { problem } from '#kernel/problem'
import { standing } from '../members/service.ts'
import { draftOf, isEnabled } from './drafts.ts'
import { providerCalled, providerCategories, providers } from './providers/index.ts'
import { queries, type Row } from './queries.ts'
import { categoriesIn, eventsIn, nameOf, present } from './rules.ts'
import { DeliveryError, type Message, sendMessage, type Target } from './sending/service.ts'

export type { Row as ChannelRow } from './queries.ts'
export { nameOf } from './rules.ts'

const isManager = ({ role }: Actor): boolean => role !== null && allows('ADMIN', role)

/** `all` is for those who manage channels; of what others have for themselves they see no address. */
export function list({ db }: App, { actor, query }: Call<typeof channels.list>): Reply<typeof channels.list> {
  const isAll = query.scope === 'all' && isManager(actor)
  const rows = isAll
    ? queries(db).all.all(actor.workspace)
    : queries(db).seenBy.all({ workspace: actor.workspace, user: actor.id })
  return { channels: rows.map((row) => present(row, !row.owner_user_id || row.owner_user_id === actor.id)) }
}

/** The channels that reach somebody: those of the workspace, and their own. */
export const channelsFor = ({ db }: App, workspace: string, user: string): Row[] =>
  queries(db).seenBy.all({ workspace, user })

export const channelById = ({ db }: App, id: string): Row | undefined => queries(db).byId.get(id)

/** The channels of a workspace that are told of such an end of a routine's run, whoever wants what. */
export const channelsHearing = ({ db }: App, workspace: string, event: string): Row[] =>
  queries(db)
    .working.all(workspace)
    .filter(({ events_json }) => (JSON.parse(events_json) as string[]).includes(event))

export const hasChannels = ({ db }: App, workspace: string): boolean => queries(db).count.get(workspace)! > 0

/** A channel of the workspace. What somebody has for themselves is nobody else's, whatever their role. */
export function findChannel({ db }: App, actor: Actor, id: string): Row {
  const row = queries(db).find.get(actor.workspace, id)
  if (!row) throw problem('not_found', { field: 'channelId', detail: 'There is no such channel' })
  if (row.owner_user_id && row.owner_user_id !== actor.id)
    throw problem('insufficient_role', { detail: 'This channel is another member’s own' })
  return row
}

/** As `findChannel`, for those who may change it. */
export function managed(app: App, actor: Actor, id: string): Row {
  const row = findChannel(app, actor, id)
  if (!row.owner_user_id) standing(app, actor, 'ADMIN')
  return row
}

const rowOf = (id: string) => `notification_channels:${id}`

function sealed(app: App, id: string, secret: string | null): string | null {
  if (secret === null) return null
  if (app.vault) return app.vault.seal(secret, rowOf(id))
  throw problem('encryption_unavailable', { detail: 'This server has no encryption key to keep a secret with' })
}

/** Where a channel leads, its secret open. Null where the key of this server cannot open it. */
export function targetOf(app: App, { id, type, url, address, provider, secret_enc }: Row): Target | null {
  if (secret_enc === null) return { type, url, address, provider, secret: null }
  try {
    return app.vault && { type, url, address, provider, secret: app.vault.open(secret_enc, rowOf(id)) }
  } catch {
    app.log.error({ channel_id: id }, 'The secret of a channel cannot be opened with this encryption key')
    return null
  }
}

const factOf = (app: App, actor: Actor, what: 'created' | 'updated' | 'deleted', row: Row, changed?: string[]) =>
  app.journal(
    fact(
      `notification_channel.${what}`,
      { entity_id: row.id, name: nameOf(row), ...(changed && { metadata: { changed } }) },
      { workspace_id: row.workspace_id, ...actorOf(actor) },
    ),
  )

export function create(app: App, { actor, body, now }: Call<typeof channels.create>): Reply<typeof channels.create> {
  const target = draftOf(app, body)
  if (target.type === 'email' && !app.mailer.configured)
    throw problem('invalid_field', { field: 'type', detail: 'This server has nothing to send mail with' })
  const events_json = JSON.stringify(eventsIn(body.events))
  const categories_json = JSON.stringify(categoriesIn(body.categories))
  const owner = body.personal ? actor.id : null
  if (!owner) standing(app, actor, 'ADMIN')
  checkRoom(app, actor, owner)
  const { secret, ...where } = target
  const id = `nch_${randomBytes(8).toString('hex')}`
  const row: Row = {
    id,
    workspace_id: actor.workspace,
    owner_user_id: owner,
    slug: owner ? null : (body.slug ?? freeSlug(app, actor.workspace, nameOf(where))),
    ...where,
    secret_enc: sealed(app, id, secret),
    events_json,
    categories_json,
    min_priority: body.min_priority ?? 'low',
    enabled: 1,
    created_by: actor.type === 'user' ? actor.id : null,
    created_at: now,
    updated_at: now,
  }
  if (!queries(app.db).insert.get(row))
    throw problem('slug_taken', { field: 'slug', detail: `There is a channel "${row.slug}" already` })
  factOf(app, actor, 'created', row)
  return { ...present(row, true), ...(secret !== null && { secret }) }
}

/** The first of `slack`, `slack-2` and so on that no channel has. */
function freeSlug({ db }: App, workspace: string, wanted: string): string {
  const taken = new Set(queries(db).slugs.all(workspace))
  for (let n = 1; ; n++) {
    const slug = n === 1 ? wanted : `${wanted}-${n}`
    if (!taken.has(slug)) return slug
  }
}

function checkRoom({ db }: App, { workspace }: Actor, owner: string | null): void {
  const { count, countOf } = queries(db)
  if (count.get(workspace)! >= mostChannels)
    throw problem('channels_full', { detail: `A workspace has at most ${mostChannels} channels` })
  if (owner && countOf.get(workspace, owner)! >= mostPersonalChannels)
    throw problem('channels_full', { detail: `You have at most ${mostPersonalChannels} channels in a workspace` })
}

const changeable = ['enabled', 'categories', 'min_priority', 'events'] as const

export function update(app: App, { actor, channelId, body, now }: Call<typeof channels.update>) {
  const row = managed(app, actor, channelId)
  requireSome(body, changeable)
  const after: Row = {
    ...row,
    ...(body.enabled !== undefined && { enabled: body.enabled ? 1 : 0 }),
    ...(body.categories !== undefined && { categories_json: JSON.stringify(categoriesIn(body.categories)) }),
    ...(body.min_priority !== undefined && { min_priority: body.min_priority }),
    ...(body.events !== undefined && { events_json: JSON.stringify(eventsIn(body.events)) }),
    updated_at: now,
  }
  queries(app.db).update.run(after)
  const changed = changeable.filter((name) => body[name] !== undefined)
  factOf(app, actor, 'updated', after, [...changed])
  return { updated: row.id }
}

export function remove(app: App, { actor, channelId, now }: Call<typeof channels.remove>) {
  const row = managed(app, actor, channelId)
  queries(app.db).remove.run(now, row.id)
  factOf(app, actor, 'deleted', row)
  return { deleted: row.id }
}

const testMs = 20_000
/** Tests of one person in a minute: they send mail and requests to where the person says. */
const testsPerMinute = 10
const buckets = new WeakMap<App, ReturnType<typeof createBuckets>>()

/** Sends the end of a run that never was. */
async function tryOut(app: App, actor: Actor, target: Target): Promise<void> {
  if (!buckets.has(app)) buckets.set(app, createBuckets(app.steady))
  const wait = buckets.get(app)!.take(actor.id, testsPerMinute, 60_000)
  if (wait) throw problem('rate_limited', { detail: `Try again in ${wait} seconds`, extra: { retry_after: wait } })
  const event = 'run.completed'
  const body = { event, run_id: 'test', routine: 'test-notification', status: 'completed' }
  const message: Message = {
    id: `del_${randomBytes(8).toString('hex')}`,
    title: 'routine test-notification completed',
    body: 'This is a test of a channel.',
    links: [],
    priority: 'low',
    webhook: { header: 'X-Svc-Event', name: event, body },
  }
  try {
    const signal = AbortSignal.any([AbortSignal.timeout(testMs), app.stopping.signal])
    await sendMessage(app, target, message, { signal })
  } catch (error) {
    if (error instanceof DeliveryError) throw problem('delivery_failed', { detail: error.message })
    throw error
  }
}

export async function test(app: App, { actor, channelId }: Call<typeof channels.test>) {
  const target = targetOf(app, managed(app, actor, channelId))
  if (!target) throw problem('encryption_unavailable', { detail: 'The secret of this channel cannot be opened' })
  await tryOut(app, actor, target)
  return { ok: true as const, channel_id: channelId }
}

export async function testDraft(app: App, { actor, body }: Call<typeof channels.testDraft>) {
  await tryOut(app, actor, draftOf(app, body))
  return { ok: true as const }
}

export const listProviders = (app: App): Reply<typeof channels.providers> => ({
  providers: providers.map(({ provider, label, blurb, category, fields }) => ({
    provider,
    scheme: provider,
    label,
    blurb,
    category,
    fields,
    enabled: isEnabled(app, provider),
  })),
  categories: providerCategories,
})

/** Services are everybody's on this server, and anyone may own a workspace: only the first one counts. */
export function setProvider(app: App, { actor, provider: name, body }: Call<typeof channels.setProvider>) {
  const provider = providerCalled(name)
  if (!provider) throw problem('not_found', { field: 'provider', detail: 'There is no service of that name' })
  const role = homeRoleOf(app, actor.id)
  if (!role || !allows('ADMIN', role))
    throw problem('insufficient_role', {
      detail: 'Only ADMIN and OWNER of the first workspace of this server decide which services there are',
    })
  queries(app.db).setProvider.run(name, body.enabled ? 1 : 0)
  const payload = { entity_id: name, name: provider.label, metadata: { enabled: body.enabled } }
  app.journal(fact('notification_provider.updated', payload, { workspace_id: homeOf(app)!, ...actorOf(actor) }))
  return { provider: name, enabled: body.enabled }
}

/** What somebody had for themselves goes with them. */
export const leave = ({ db, now }: App, { payload, about }: Happened<'workspace_member.deleted'>): void =>
  void queries(db).removeOf.run(now(), about.workspace_id!, payload.metadata.user_id)

export const drop = ({ db, now }: App, { payload }: Happened<'workspace.deleted'>): void =>
  void queries(db).removeAll.run(now(), payload.entity_id)
