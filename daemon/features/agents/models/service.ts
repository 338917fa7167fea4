import { adapterProviders, type CliAdapter, defaultAdapter } from '#contract/agents'
import type { App } from '#kernel/app'
import { createCache } from '#kernel/cache'
import type { Actor } from '#kernel/feature'
import { OutboundError } from '#kernel/outbound/outbound'
import { problem } from '#kernel/problem'
import { addressOf, providerOf } from '../../../providers/index.ts'
import type { Provider } from '../../../providers/provider.ts'
import { modelKey } from '../../credentials/delivery/service.ts'

const keepFor = 10 * 60_000

/**
 * Refuses, before the transaction, a model that the provider of the agent's client does not have. A model that cannot
 * be checked passes.
 */
export async function checkModel(
  app: App,
  { actor, body }: { actor: Actor; body: { llm_model?: string | null; cli_adapter?: CliAdapter } },
  adapter: CliAdapter = defaultAdapter,
): Promise<void> {
  const model = body.llm_model?.trim()
  const provider = providerOf(adapterProviders[body.cli_adapter ?? adapter] ?? '')
  if (!model || !provider?.models || !provider.address) return
  const live = await liveModels(app, actor.workspace, provider)
  // An address of the operator's own serves what it likes.
  if (live === null && app.config.vendor[provider.address.path] !== provider.address.fallback) return
  if (provider.models.knows(model, live)) return
  const known = (live ?? provider.models.curated).slice(0, 20).join(', ')
  const hint =
    live === null
      ? `; with an API key of ${provider.name} in the workspace, Muster asks the vendor which models there are`
      : ''
  throw problem('invalid_field', {
    field: 'llm_model',
    detail: `${provider.name} has no model "${model.slice(0, 100)}"; known: ${known}${hint}`,
  })
}

const caches = new WeakMap<App, ReturnType<typeof createCache<{ models: string[]; until: number }>>>()

/**
 * The models that the vendor lists, asked with the workspace's oldest working key; null without a key or an answer.
 */
async function liveModels(app: App, workspace: string, provider: Provider): Promise<string[] | null> {
  const key = modelKey(app, workspace, provider.name)
  if (!key) return null
  const cache = caches.get(app) ?? createCache<{ models: string[]; until: number }>(1000)
  caches.set(app, cache)
  const held = cache.get(key.credentialId)
  if (held && held.until > app.steady()) return held.models
  const models = await ask(app, provider, key.token)
  if (models) cache.set(key.credentialId, { models, until: app.steady() + keepFor })
  return models
}

async function ask(app: App, provider: Provider, token: string): Promise<string[] | null> {
  const { path, headers } = provider.models!.ask(token)
  try {
    const { status, text } = await app.outbound.send(`${addressOf(app.config, provider)}${path}`, {
      operator: true,
      timeoutMs: 5000,
      headers,
    })
    const { data } = (status === 200 ? JSON.parse(text) : {}) as { data?: { id?: unknown }[] }
    const ids = Array.isArray(data) ? data.flatMap(({ id }) => (typeof id === 'string' ? [id] : [])) : []
    return ids.length ? ids : null
  } catch (error) {
    if (error instanceof OutboundError || error instanceof SyntaxError) return null
    throw error
  }
}
