import { type CliAdapter, defaultAdapter, type LlmProvider, providerFor, splitModel } from '#contract/agents'
import type { App } from '#kernel/app'
import type { Actor } from '#kernel/feature'
import { problem } from '#kernel/problem'
import { providerOf } from '../../../providers/index.ts'
import { liveModels } from '../../models/service.ts'

interface Chosen {
  cli_adapter: CliAdapter
  llm_provider: LlmProvider | null
}

/**
 * Refuses, before the transaction, a model that the provider of the agent's client does not have. A model that cannot
 * be checked passes.
 */
export async function checkModel(
  app: App,
  { actor, body }: { actor: Actor; body: Partial<Chosen> & { llm_model?: string | null } },
  before: Chosen = { cli_adapter: defaultAdapter, llm_provider: null },
  field = 'llm_model',
): Promise<void> {
  const { cli_adapter, llm_provider } = { ...before, ...body }
  const { owner, name: model } = splitModel(cli_adapter, body.llm_model?.trim() ?? '')
  const provider = providerOf(owner ?? providerFor(cli_adapter, llm_provider) ?? '')
  if (!model || !provider?.models || !provider.address) return
  const live = (await liveModels(app, actor.workspace, provider))?.map(({ id }) => id) ?? null
  // An address of the operator's own serves what it likes.
  if (live === null && app.config.vendor[provider.address.path] !== provider.address.fallback) return
  if (provider.models.knows(model, live)) return
  const known = (live ?? provider.models.curated).slice(0, 20).join(', ')
  const hint =
    live === null
      ? `; with an API key of ${provider.name} in the workspace, Muster asks the vendor which models there are`
      : ''
  throw problem('invalid_field', {
    field,
    detail: `${provider.name} has no model "${model.slice(0, 100)}"; known: ${known}${hint}`,
  })
}
