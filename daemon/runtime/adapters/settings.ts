import type { VendorSetting } from '#kernel/settings'
import { command } from './claude-code/settings.ts'

/** What the operator can set of agents' clients; read at the start, before any adapter is loaded. */
export const adapterSettings: readonly VendorSetting[] = [command]
