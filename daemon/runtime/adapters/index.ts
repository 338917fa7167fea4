import type { Adapter } from './adapter.ts'
import { claudeCode } from './claude-code/index.ts'
import { codex } from './codex/index.ts'

const adapters: readonly Adapter[] = [claudeCode, codex]

/** The adapter for an agent's `cli_adapter`; undefined when Muster cannot run that client. */
export const adapterOf = (name: string): Adapter | undefined => adapters.find((adapter) => adapter.name === name)
