import {
  adapterProviders,
  type CliAdapter,
  cliAdapters,
  defaultAdapter,
  type LlmProvider,
  llmProviders,
} from '#contract/agents'
import { defaultHireMinutes, type HireDecision, longestHireMinutes } from '#contract/hires'
import { type AutonomyLevel, autonomyLevels } from '#contract/policies'
import { problem } from '#kernel/problem'
import { providerOfModel } from '../../../providers/index.ts'

const decisions = ['rejected', 'inbox_approve', 'auto_log_journal', 'auto_journal'] as const

/** What the crew's level makes of a hire, in the words of the contract. */
export const decisionAt = (level: AutonomyLevel): HireDecision => decisions[autonomyLevels.indexOf(level)]!

export const minutesOf = (given: number | null | undefined): number =>
  Math.min(given && given > 0 ? given : defaultHireMinutes, longestHireMinutes)

/** A reason of a person on one line, since the history of a hire has a line for each. */
export const oneLine = (given: string): string => given.replace(/[\s\p{Cc}]+/gu, ' ')

export function reasonOf(given: string): string {
  const reason = given.trim()
  if (!reason) throw problem('missing_field', { field: 'reason', detail: 'Say why the agent is hired' })
  return reason
}

export const lineOf = (now: string, what: 'hire' | 'rehire', reason: string): string => `[${now}] ${what}: ${reason}`

/** The client for a model, with the provider that the model's name tells; the usual one where it tells none. */
export function clientFor(model: string | null): { cli_adapter: CliAdapter; llm_provider?: LlmProvider } {
  const named = model === null ? undefined : providerOfModel(model)?.name
  const llm_provider = llmProviders.find((it) => it === named)
  if (!llm_provider) return { cli_adapter: defaultAdapter }
  const serves = (adapter: CliAdapter) => adapterProviders[adapter]?.includes(llm_provider)
  const cli_adapter = serves(defaultAdapter) ? defaultAdapter : cliAdapters.find(serves)
  return cli_adapter ? { cli_adapter, llm_provider } : { cli_adapter: defaultAdapter }
}
