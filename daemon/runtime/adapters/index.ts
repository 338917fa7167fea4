import type { Adapter } from './adapter.ts'
import { claudeCode } from './claude-code/index.ts'
import { codex } from './codex/index.ts'
import { cursor } from './cursor/index.ts'
import { droid } from './droid/index.ts'
import { gemini } from './gemini/index.ts'
import { opencode } from './opencode/index.ts'

const adapters: readonly Adapter[] = [claudeCode, codex, gemini, opencode, cursor, droid]

/** The adapter for an agent's `cli_adapter`; undefined when Muster cannot run that client. */
export const adapterOf = (name: string): Adapter | undefined => adapters.find((adapter) => adapter.name === name)
