import { listedProviders } from '#contract/agents'
import type { Reply } from '#contract/define'
import type { models } from '#contract/models'
import type { App } from '#kernel/app'
import { createCache } from '#kernel/cache'
import type { Call } from '#kernel/feature'
import { OutboundError } from '#kernel/outbound/outbound'
import { problem } from '#kernel/problem'
import { addressOf, providerOf } from '../../providers/index.ts'
import { localAddress } from '../../providers/local.ts'
import type { Headers, Listed, Provider } from '../../providers/provider.ts'
import { endpointUrl, modelKey } from '../credentials/delivery/service.ts'

const keepFor = 10 * 60_000

type Cache = ReturnType<typeof createCache<{ models: Listed[]; until: number }>>
const caches = new WeakMap<App, Cache>()

/** The models of a provider: live where it can be asked, otherwise those that this version knows. */
export async function listModels(
  app: App,
  { actor, query }: Call<typeof models.list>,
): Promise<Reply<typeof models.list>> {
  const name = listedProviders.find((known) => known === query.provider.trim().toUpperCase())
  if (!name)
    throw problem('invalid_field', {
      field: 'provider',
      detail: `provider must be one of ${listedProviders.join(', ')}`,
    })
  const shown = (source: 'live' | 'curated', list: readonly Listed[]) => ({
    provider: name,
    source,
    models: list.map((model) => ({ ...model, provider: name.toLowerCase() })),
  })
  const provider = providerOf(name)
  if (!provider?.models) return shown('live', await localModels(app, actor.workspace))
  const live = await liveModels(app, actor.workspace, provider)
  const curated = () => provider.models!.curated.map((id) => ({ id }))
  return live ? shown('live', live) : shown('curated', curated())
}

/** The models that the vendor lists, asked with the workspace's oldest working key; null without a key or an answer. */
export async function liveModels(app: App, workspace: string, provider: Provider): Promise<Listed[] | null> {
  const key = modelKey(app, workspace, provider.name)
  if (!key || !provider.models?.ask) return null
  const cache: Cache = caches.get(app) ?? createCache(1000)
  caches.set(app, cache)
  const held = cache.get(key.credentialId)
  if (held && held.until > app.steady()) return held.models
  const { path, headers } = provider.models.ask(key.token)
  const found = await ask(app, { url: `${addressOf(app.config, provider)}${path}`, headers, operator: true })
  if (found) cache.set(key.credentialId, { models: found, until: app.steady() + keepFor })
  return found
}

/** The models of a server of one's own: at the address in a credential, else at the operator's. */
export async function localModels(app: App, workspace: string): Promise<Listed[]> {
  const own = endpointUrl(app, workspace)
  const base = (own ?? app.config.vendor[localAddress.path] ?? '').replace(/\/+$/, '')
  if (!base)
    throw problem('models_unreachable', {
      detail:
        'No address of a local model server is known: store it as a credential of type ENDPOINT_URL, or set ' +
        localAddress.env,
    })
  for (const path of ['/v1/models', '/api/tags']) {
    const found = await ask(app, { url: `${base}${path}`, headers: {}, operator: own === null })
    if (found) return found
  }
  throw problem('models_unreachable', { detail: 'The local model server does not answer with a list of models' })
}

async function ask(
  app: App,
  { url, headers, operator }: { url: string; headers: Headers; operator: boolean },
): Promise<Listed[] | null> {
  try {
    const { status, text } = await app.outbound.send(url, { operator, timeoutMs: 5000, headers })
    return status === 200 ? modelsIn(JSON.parse(text)) : null
  } catch (error) {
    if (error instanceof OutboundError || error instanceof SyntaxError) return null
    throw error
  }
}

/** The models of an answer, whatever the vendor calls them; null when there are none. */
function modelsIn(body: unknown): Listed[] | null {
  const { data, models } = (body ?? {}) as { data?: unknown; models?: unknown }
  const rows = Array.isArray(data) ? data : Array.isArray(models) ? models : []
  const found = rows.flatMap((row: { id?: unknown; name?: unknown; display_name?: unknown } | null) => {
    const id = row?.id ?? row?.name
    if (typeof id !== 'string') return []
    return [{ id, ...(typeof row?.display_name === 'string' && { display_name: row.display_name }) }]
  })
  return found.length ? found : null
}
