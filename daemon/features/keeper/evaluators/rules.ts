import { type EvaluatorSlot, judgeTimeout } from '#contract/keeper'
import type { Sourced } from '../config/rules.ts'

export const slotLabels: Readonly<Record<EvaluatorSlot, string>> = {
  curator: 'Skill review + memory consolidation',
  behavior: 'Tool-call behaviour monitor',
  memory_health: 'Memory-health audit',
  negative: 'Failure → lessons extraction',
  run_summary: 'Run summary verdicts',
  fallback: 'Fallback (used when a slot is unset)',
}

/** What was said of a slot: by people or by the environment. */
export interface Said {
  provider: string
  model: string
  timeout_ms: number
  credential_id: string
  /** The workspace of the credential. */
  workspace: string
}

export interface Evaluator {
  provider: Sourced<string>
  model: Sourced<string>
  timeout_ms: Sourced<number>
  credential_id: Sourced<string>
  workspace: string
}

const pick = <T>(mine: T | undefined, env: T | undefined, none: T): Sourced<T> =>
  mine ? { value: mine, source: 'instance' } : env ? { value: env, source: 'env' } : { value: none, source: 'default' }

/**
 * Who judges a slot: as people set it, else as the environment says, else as the fallback, else the first provider of
 * which the server has a key. A provider comes with its own model.
 */
export function evaluatorOf(
  slot: Partial<Said>,
  env: Partial<Said>,
  otherwise: Pick<Said, 'provider' | 'model' | 'credential_id' | 'workspace'>,
): Evaluator {
  const provider = pick(slot.provider, env.provider, otherwise.provider)
  const own = provider.source !== 'default'
  return {
    provider,
    model: pick(slot.model, env.model, own ? '' : otherwise.model),
    timeout_ms: pick<number>(slot.timeout_ms, env.timeout_ms, judgeTimeout.fallback),
    credential_id: pick(slot.credential_id, undefined, own ? '' : otherwise.credential_id),
    workspace: own ? (slot.workspace ?? '') : otherwise.workspace,
  }
}
