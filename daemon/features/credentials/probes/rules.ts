import type { CredentialProvider, CredentialType } from '#contract/credentials'
import type { Config } from '#kernel/config'
import { addressOf, providerOf } from '../../../providers/index.ts'

/** One harmless request that a provider answers differently for good and bad keys. */
export interface Probe {
  url: string
  headers: Record<string, string>
  /** The address is the operator's own setting. */
  operator: boolean
  /** Statuses by which the provider says that it does not know the key. */
  refusals: readonly number[]
}

/** Whether Muster knows how to ask the provider about a value. */
export const isTestable = (provider: CredentialProvider): boolean => providerOf(provider)?.probe !== undefined

/** Null when Muster knows no way to ask. */
export function probeOf(
  config: Config,
  { type, provider: name, value }: { type: CredentialType; provider: CredentialProvider; value: string },
): Probe | null {
  const provider = providerOf(name)
  if (!provider?.probe) return null
  const { url, headers, refusals = [401, 403] } = provider.probe(value, type)
  const address = addressOf(config, provider)
  return { url: `${address ?? ''}${url}`, headers, operator: address !== null, refusals }
}
