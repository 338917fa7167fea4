import type { VendorSetting } from '#kernel/settings'
import { command as claude } from './claude-code/settings.ts'
import { command as codex } from './codex/settings.ts'

/** What the operator can set of agents' clients; read at the start, before any adapter is loaded. */
export const adapterSettings: readonly VendorSetting[] = [claude, codex]
