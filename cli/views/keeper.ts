import type { Reply } from '#contract/define'
import type { keeper } from '#contract/keeper'
import { when } from '../output/cell.ts'
import type { View } from '../output/printer.ts'

type Config = Reply<typeof keeper.config>
type Tested = Reply<typeof keeper.test>
type Evaluators = Reply<typeof keeper.aux>
type Evaluator = Evaluators['slots'][number]
type Governance = Reply<typeof keeper.governance>
type Models = Reply<typeof keeper.models>

interface Sourced {
  value: unknown
  source: string
}

const shown = (value: unknown): string =>
  typeof value === 'boolean' ? (value ? 'on' : 'off') : Array.isArray(value) ? value.join(', ') : String(value)
/** A value, and where it comes from unless Muster says so itself. */
const sourced = ({ value, source }: Sourced): string =>
  `${shown(value) || 'none'}${source === 'default' || source === 'profile' ? '' : ` (${source})`}`

export const judgeConfigView: View<Config> = {
  name: ({ enabled }) => shown(enabled.value),
  columns: {},
  detail: {
    Judge: ({ enabled }) => sourced(enabled),
    Server: ({ judge_endpoint_url }) => sourced(judge_endpoint_url),
    Model: ({ judge_model }) => sourced(judge_model),
    Spoken: ({ judge_provider, judge_wire }) => `${sourced(judge_provider)}, ${sourced(judge_wire)}`,
    Timeout: ({ judge_timeout_ms }) => `${sourced(judge_timeout_ms)} ms`,
    Profile: ({ judge_profile }) => sourced(judge_profile.name),
    Evidence: ({ judge_profile: { evidence, evidence_facts } }) => `${sourced(evidence)}, ${sourced(evidence_facts)}`,
    'Hard gate': ({ judge_profile }) => sourced(judge_profile.hard_gate),
    'People from': ({ judge_profile: { escalate_from } }) =>
      sourced({ ...escalate_from, value: ['as the tiers say', 'L1', 'L2', 'L3', 'L4', 'never'][escalate_from.value] }),
    Precedent: ({ judge_profile: { precedent, precedent_n } }) => `${sourced(precedent)}, ${sourced(precedent_n)}`,
    Samples: ({ judge_profile }) => sourced(judge_profile.consistency_samples),
    'Prompt at most': ({ judge_profile: { prompt_budget_tokens: it } }) =>
      sourced({ ...it, value: it.value ? `${it.value} tokens` : 'no bound' }),
    Changed: ({ updated_at }) => updated_at && when(updated_at),
  },
}

export const judgeTestView: View<Tested> = {
  name: ({ decision }) => decision,
  columns: {},
  detail: {
    Server: ({ endpoint }) => endpoint,
    Model: ({ model }) => model,
    Verdict: ({ decision }) => decision || 'none',
  },
  below: ({ stages }) =>
    stages
      .map(({ ok, skipped, label, detail, latency_ms }) => {
        const sign = ok ? '✓' : skipped ? '–' : '✗'
        return `${sign} ${label}: ${detail}${latency_ms ? ` (${latency_ms} ms)` : ''}\n`
      })
      .join(''),
}

export const judgeModelsView: View<Models> = {
  name: ({ endpoint }) => endpoint,
  columns: {},
  detail: {
    Server: ({ endpoint }) => endpoint || 'none',
    Models: ({ models }) => models.join(', ') || 'none',
    Problem: ({ error }) => error ?? null,
    'Try also': ({ suggestions }) => suggestions.map(({ url, label }) => `${url} (${label})`).join(', '),
  },
}

export const evaluatorView: View<Evaluator> = {
  name: ({ slot }) => slot,
  columns: {
    NAME: ({ slot }) => slot,
    PROVIDER: ({ provider }) => sourced(provider),
    MODEL: ({ model }) => sourced(model),
    TIMEOUT: ({ timeout_ms }) => `${timeout_ms.value} ms`,
    WHAT: ({ label }) => label,
  },
  wide: { CREDENTIAL: ({ credential_id }) => credential_id.value },
}

export const evaluatorsView: View<Evaluators> = {
  name: ({ slots }) => String(slots.length),
  columns: {},
  detail: {
    Judge: ({ judge_provider, judge_model }) => `${judge_provider} ${judge_model}`.trim(),
    Providers: ({ providers }) => providers.join(', '),
  },
  below: ({ slots }) =>
    slots.map(({ slot, provider, model }) => `${slot}: ${sourced(provider)}, ${sourced(model)}\n`).join(''),
}

export const governanceView: View<Governance> = {
  name: ({ enabled }) => shown(enabled),
  columns: {},
  detail: {
    'Watch rules': ({ enabled, watch_presets, watch_spec }) =>
      `${shown(enabled)}: ${[...watch_presets, ...(watch_spec ? ['own rules'] : [])].join(', ') || 'none'}`,
    'Own rules': ({ watch_spec }) => watch_spec || null,
    Contact: ({ security_contact_user_id: id }) => id || 'OWNER and ADMIN',
    'Tells of denials from': ({ deny_notify_min_risk: risk }) => `risk ${risk}`,
    'Two people decide': ({ effective_second_approver: it }) =>
      it.min_security_level ? `from ${it.min_security_level_label} (${it.source})` : 'never',
    'Calls of tools': ({ monitor_tool_calls }) => (monitor_tool_calls ? 'each is judged' : 'not judged'),
    Leases: ({ auto_lease_seconds: seconds }) => (seconds ? `${seconds} s` : 'none'),
    Model: ({ gov_model_provider, gov_model_id }) =>
      [gov_model_provider, gov_model_id].filter(Boolean).join(' ') || null,
    Warning: ({ warning }) => (warning ? { text: warning, tone: 'yellow' as const } : null),
  },
}
