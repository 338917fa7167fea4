import { type CliAdapter, type LlmProvider, splitModel } from '#contract/agents'
import { providerOf, providerOfModel } from '../../providers/index.ts'
import type { ModelAccess, Turn } from './adapter.ts'

/**
 * Whose model a turn works with, for clients that work with several providers, and the name that it has there; null
 * leaves that to the client.
 */
export function modelOf(
  adapter: CliAdapter,
  { model, provider }: Pick<Turn, 'model' | 'provider'>,
): { owner: LlmProvider; name: string | null } {
  const { owner, name } = splitModel(adapter, model ?? '')
  const family = providerOfModel(name)?.name as LlmProvider | undefined
  return { owner: owner ?? family ?? provider, name: name || null }
}

/** Where a provider's calls go: its place on the sidecar, or the provider itself. */
export function addressOf(access: ModelAccess, owner: LlmProvider): string {
  const vendor = providerOf(owner)?.vendor
  if (!vendor) throw new Error(`Models of ${owner} cannot be called`)
  if (access.via === 'direct') return access.baseUrl ?? vendor.base
  return `${access.origin}${vendor.keepsMount ? '' : vendor.mount}`
}
