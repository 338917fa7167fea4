import type { VendorSetting } from '#kernel/settings'
import { providers } from './providers/index.ts'
import { adapterSettings } from './runtime/adapters/settings.ts'

/** What the operator can set of providers and of agents' clients. */
export const vendorSettings: readonly VendorSetting[] = [
  ...providers.flatMap(({ address }) => address ?? []),
  ...adapterSettings,
]
