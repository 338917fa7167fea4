import type { VendorSetting } from '#kernel/settings'
import { command as claude } from './claude-code/settings.ts'
import { command as codex } from './codex/settings.ts'
import { command as cursor } from './cursor/settings.ts'
import { command as droid } from './droid/settings.ts'
import { command as gemini } from './gemini/settings.ts'
import { command as opencode } from './opencode/settings.ts'

/** What the operator can set of agents' clients; read at the start, before any adapter is loaded. */
export const adapterSettings: readonly VendorSetting[] = [claude, codex, gemini, opencode, cursor, droid]
