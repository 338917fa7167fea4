import type { Static } from 'typebox'
import { type EvidenceFact, evidenceFacts, type JudgeConfigPatch, judgeTimeout, promptBudget } from '#contract/keeper'
import { problem } from '#kernel/problem'
import { wiresOf } from '../../../providers/wires.ts'
import type { Judging, Overrides } from './rules.ts'

export type Patch = Static<typeof JudgeConfigPatch>

const refuse = (field: string, detail: string) => problem('invalid_field', { field, detail })

function switched(value: boolean | 'on' | 'off' | '' | null): boolean | undefined {
  return value === null || value === '' ? undefined : value === true || value === 'on'
}

const texted = <T extends string>(value: T | ''): T | undefined => value || undefined

/** A number, for which 0 takes back what was set. */
const counted = (value: number | null): number | undefined => value || undefined

function factsIn(given: string | string[] | null): readonly EvidenceFact[] | undefined {
  if (given === null) return undefined
  const list = (typeof given === 'string' ? given.split(',') : given).map((it) => it.trim()).filter(Boolean)
  const unknown = list.find((it) => !evidenceFacts.includes(it as EvidenceFact))
  if (unknown !== undefined)
    throw refuse('judge_evidence_facts', `There is no fact ${JSON.stringify(unknown)}: ${evidenceFacts.join(', ')}`)
  return list.length ? evidenceFacts.filter((it) => list.includes(it)) : evidenceFacts
}

function timeout(value: number | null): number | undefined {
  if (value && value < judgeTimeout.least)
    throw refuse('judge_timeout_ms', `judge_timeout_ms is ${judgeTimeout.least} to ${judgeTimeout.most}, or 0`)
  return counted(value)
}

function samples(value: number | null): number | undefined {
  if (value && value % 2 === 0) throw refuse('judge_consistency_samples', 'An even number of samples has no majority')
  return counted(value)
}

function budget(value: number | null): number | undefined {
  if (value && value < promptBudget.least)
    throw refuse(
      'judge_prompt_budget_tokens',
      `judge_prompt_budget_tokens is ${promptBudget.least} to ${promptBudget.most}, or 0 for no bound`,
    )
  return value ?? undefined
}

const readers: { [K in Exclude<keyof Patch, 'judge_endpoint_url'>]-?: [keyof Overrides, (value: never) => unknown] } = {
  enabled: ['enabled', switched],
  judge_provider: ['judge_provider', texted],
  judge_wire: ['judge_wire', texted],
  judge_model: ['judge_model', (value: string) => texted(value.trim())],
  judge_timeout_ms: ['judge_timeout_ms', timeout],
  judge_profile: ['judge_profile', texted],
  judge_evidence: ['evidence', switched],
  judge_evidence_facts: ['evidence_facts', factsIn],
  judge_hard_gate: ['hard_gate', switched],
  judge_escalate_from: ['escalate_from', (value: number | null) => value ?? undefined],
  judge_precedent: ['precedent', switched],
  judge_precedent_n: ['precedent_n', counted],
  judge_consistency_samples: ['consistency_samples', samples],
  judge_prompt_budget_tokens: ['prompt_budget_tokens', budget],
}

/** What is set once this is applied, but for the address; throws `invalid_field`. */
export function patched(before: Overrides, patch: Patch): Overrides {
  const after: Record<string, unknown> = { ...before }
  for (const [member, [name, read]] of Object.entries(readers)) {
    const given = patch[member as keyof typeof readers]
    if (given === undefined) continue
    const value = read(given as never)
    if (value === undefined) delete after[name]
    else after[name] = value
  }
  return after as Overrides
}

/** Refuses what does not go together in what is in force. */
export function checkTogether({ judge_provider, judge_wire, judge_model, judge_endpoint_url }: Judging): void {
  const fitting = wiresOf[judge_provider.value]
  if (!fitting.includes(judge_wire.value))
    throw refuse('judge_wire', `${judge_provider.value} is spoken to by ${fitting.join(' or ')}`)
  if (!judge_model.value !== !judge_endpoint_url.value)
    throw refuse(
      judge_model.value ? 'judge_endpoint_url' : 'judge_model',
      'judge_endpoint_url and judge_model belong together: set both, or take both back',
    )
}
