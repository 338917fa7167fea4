import type { VendorSetting } from '#kernel/settings'
import { evaluatorSettings } from './features/keeper/evaluators/settings.ts'
import { providers } from './providers/index.ts'
import { localAddress } from './providers/local.ts'
import { adapterSettings } from './runtime/adapters/settings.ts'

/** Settings of providers and of agents' clients. */
export const vendorSettings: readonly VendorSetting[] = [
  ...providers.flatMap(({ address, serverKey }) => [address ?? [], serverKey ?? []].flat()),
  localAddress,
  ...evaluatorSettings,
  ...adapterSettings,
]
