import { channelVariable } from '#contract/manifest-members'
import { problem } from '#kernel/problem'
import { queries } from '../queries.ts'
import type { Members } from '../types.ts'
import { type Hands, type Kind, without } from './kind.ts'

/** What leads a channel somewhere, and never changes. */
const target = ['type', 'url', 'to', 'provider']

/** How a new channel proves itself, or where its service is: that is a secret. */
function secretOf(at: Hands, slug: string, type: unknown): Members {
  const env = channelVariable(slug)
  if (type === 'email' || !at.isGiven(env)) return {}
  return type === 'webhook' ? { secret: at.value(env) } : { shoutrrr_url: at.value(env) }
}

/** A channel to a service cannot even be tried without its address. */
const isUnknown = (at: Hands, slug: string, type: unknown) => type === 'shoutrrr' && !at.isGiven(channelVariable(slug))

function grant(at: Hands, channelId: string, wanted: unknown): void {
  if (wanted === undefined || at.isRehearsal) return
  const there = queries(at.app.db).grantsOf.all(channelId)
  const names = wanted as string[]
  for (const { id: agentId, slug } of there) if (!names.includes(slug)) at.call('channels.deny', { channelId, agentId })
  for (const name of names)
    if (!there.some(({ slug }) => slug === name))
      at.call('channels.allow', { channelId, body: { agent_id: at.id('Agent', name, 'agents') } })
}

const update = (at: Hands, channelId: string, body: Members) => {
  if (Object.keys(body).length) at.call('channels.update', { channelId, body })
}

export const channel: Kind = {
  stored: ({ db }, workspace) =>
    queries(db)
      .channels.all(workspace)
      .map((row) => ({
        id: row.id,
        name: row.slug!,
        members: {
          type: row.type,
          url: row.url,
          to: row.address,
          provider: row.provider,
          events: JSON.parse(row.events_json!),
          categories: (JSON.parse(row.categories_json!) as string[]).sort(),
          min_priority: row.min_priority,
          enabled: row.enabled === 1,
          agents: (JSON.parse(row.agents_json!) as string[]).sort(),
        },
      })),
  create(at, slug, members) {
    const { enabled, agents, ...draft } = members
    if (isUnknown(at, slug, members['type'])) return slug
    const body = { ...draft, slug, ...secretOf(at, slug, members['type']) }
    const id = at.call('channels.create', { body }).id!
    if (enabled === false) update(at, id, { enabled })
    grant(at, id, agents)
    return id
  },
  change(at, { id }, members) {
    for (const field of target)
      if (members[field] !== undefined)
        throw problem('invalid_field', {
          field,
          detail: `${field} cannot be changed: give the new channel another slug`,
        })
    update(at, id, without(members, 'agents'))
    grant(at, id, members['agents'])
  },
  remove: (at, { id }) => void at.call('channels.remove', { channelId: id }),
}
