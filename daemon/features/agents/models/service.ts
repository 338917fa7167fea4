import type { App } from '#kernel/app'
import { createCache } from '#kernel/cache'
import type { Actor } from '#kernel/feature'
import { OutboundError } from '#kernel/outbound/outbound'
import { problem } from '#kernel/problem'
import { settings } from '#kernel/settings'
import { modelKey } from '../../credentials/delivery/service.ts'
import { curatedModels, isKnownModel } from './rules.ts'

const keepFor = 10 * 60_000

/**
 * Refuses a model that its vendor does not have, before the transaction. Contract part 2, section 1.4: skipped when
 * unknowable.
 */
export async function checkModel(
  app: App,
  { actor, body }: { actor: Actor; body: { llm_model?: string | null } },
): Promise<void> {
  const model = body.llm_model?.trim()
  if (!model) return
  const live = await liveModels(app, actor.workspace)
  // An address of the operator's own serves what it likes.
  if (live === null && app.config.anthropicUrl !== settings.anthropicUrl.fallback) return
  if (isKnownModel(model, live)) return
  const known = (live ?? curatedModels).slice(0, 20).join(', ')
  const hint =
    live === null ? '; with an Anthropic API key in the workspace, Muster asks the vendor which models there are' : ''
  throw problem('invalid_field', {
    field: 'llm_model',
    detail: `ANTHROPIC has no model "${model.slice(0, 100)}"; known: ${known}${hint}`,
  })
}

const caches = new WeakMap<App, ReturnType<typeof createCache<{ models: string[]; until: number }>>>()

/**
 * What the vendor says it serves, asked with the workspace's oldest working key; null without one or without an answer.
 */
async function liveModels(app: App, workspace: string): Promise<string[] | null> {
  const key = modelKey(app, workspace, 'ANTHROPIC')
  if (!key) return null
  const cache = caches.get(app) ?? createCache<{ models: string[]; until: number }>(1000)
  caches.set(app, cache)
  const held = cache.get(key.credentialId)
  if (held && held.until > app.steady()) return held.models
  const models = await ask(app, key.token)
  if (models) cache.set(key.credentialId, { models, until: app.steady() + keepFor })
  return models
}

async function ask(app: App, token: string): Promise<string[] | null> {
  const url = `${app.config.anthropicUrl.replace(/\/+$/, '')}/v1/models?limit=1000`
  try {
    const { status, text } = await app.outbound.send(url, {
      operator: true,
      timeoutMs: 5000,
      headers: { 'x-api-key': token, 'anthropic-version': '2023-06-01' },
    })
    const { data } = (status === 200 ? JSON.parse(text) : {}) as { data?: { id?: unknown }[] }
    const ids = Array.isArray(data) ? data.flatMap(({ id }) => (typeof id === 'string' ? [id] : [])) : []
    return ids.length ? ids : null
  } catch (error) {
    if (error instanceof OutboundError || error instanceof SyntaxError) return null
    throw error
  }
}
