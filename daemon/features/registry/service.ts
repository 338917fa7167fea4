import type { Reply } from '#contract/define'
import type { registry } from '#contract/registry'
import type { App } from '#kernel/app'
import type { Call } from '#kernel/feature'
import { pageOf } from '#kernel/http/fields'
import { newId } from '#kernel/ids'
import { queries, type ServerRow, type Told } from './queries.ts'

type Found = Reply<typeof registry.list>

export const list = (app: App, { query }: Call<typeof registry.list>): Found => find(app, query, null)

export function search(app: App, { query }: Call<typeof registry.search>): Found {
  const q = query.q?.trim() ?? ''
  return { ...find(app, query, q === '' ? null : q), query: q }
}

function find({ db }: App, query: Call<typeof registry.list>['query'], q: string | null): Found {
  const page = pageOf(query, { fallback: 50, max: 200 })
  const { trust_tier = null, featured } = query
  const filter = {
    trust_tier,
    featured: featured === undefined ? null : Number(featured === 'true' || featured === '1'),
    words: q === null ? null : q.toLowerCase(),
  }
  return {
    servers: queries(db)
      .list.all({ ...filter, ...page })
      .map(shown),
    total: queries(db).count.get(filter)!,
    ...page,
  }
}

const shown = ({ is_verified, is_featured, ...row }: ServerRow): Found['servers'][number] => ({
  ...row,
  is_verified: is_verified === 1,
  is_featured: is_featured === 1,
})

/** Most servers that are kept. */
export const mostServers = 20_000

/** Stores what the registry says of servers: new ones are for the community to judge. `gone` were withdrawn. */
export function keepServers(app: App, told: readonly Told[], gone: readonly string[]): void {
  const { put, remove, count, known } = queries(app.db)
  for (const name of gone) remove.run(name)
  let room = mostServers - count.get({ trust_tier: null, featured: null, words: null })!
  for (const it of told) {
    if (!known.get(it.name) && room-- <= 0) continue
    put.run({
      ...it,
      id: newId(app.clock()),
      trust_tier: 'community',
      is_featured: 0,
      synced_at: app.now(),
      words: [it.name, it.display_name, it.description, it.category].join('\n').toLowerCase(),
    })
  }
}
