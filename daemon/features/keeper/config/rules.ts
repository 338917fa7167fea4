import {
  type EvidenceFact,
  evidenceFacts,
  type JudgeProfile,
  type JudgeProvider,
  type JudgeWire,
  judgeTimeout,
  type SettingSource,
} from '#contract/keeper'
import { wiresOf } from '../../../providers/wires.ts'

/** How strictly it is judged. docs/keeper.md, "Profiles". */
export interface Manner {
  evidence: boolean
  evidence_facts: readonly EvidenceFact[]
  hard_gate: boolean
  /** The level from which people decide: 1 to 4, 5 never, 0 as the tiers say. */
  escalate_from: number
  precedent: boolean
  precedent_n: number
  consistency_samples: number
  /** 0: no bound. */
  prompt_budget_tokens: number
}

const usual = {
  evidence: true,
  evidence_facts: evidenceFacts,
  hard_gate: true,
  escalate_from: 0,
  precedent: true,
  precedent_n: 3,
  consistency_samples: 1,
  prompt_budget_tokens: 3500,
} satisfies Manner

export const profiles: Readonly<Record<JudgeProfile, Manner>> = {
  balanced: { ...usual, precedent: false },
  strict: { ...usual, escalate_from: 3, prompt_budget_tokens: 7000 },
  thorough: { ...usual, consistency_samples: 3, prompt_budget_tokens: 0 },
}

/** What people set; what is absent was not set. */
export interface Overrides extends Partial<Manner> {
  enabled?: boolean
  judge_provider?: JudgeProvider
  /** Without what may stand before its host. */
  judge_endpoint_url?: string
  judge_wire?: JudgeWire
  judge_model?: string
  judge_timeout_ms?: number
  judge_profile?: JudgeProfile
}

/** What the operator's environment says; empty where it says nothing. */
export interface Environment {
  enabled: '' | 'true' | 'false'
  endpoint: string
  model: string
}

/** A value, and where it comes from. */
export interface Sourced<T> {
  value: T
  source: SettingSource
}

export interface Judging {
  enabled: Sourced<boolean>
  judge_provider: Sourced<JudgeProvider>
  judge_endpoint_url: Sourced<string>
  judge_wire: Sourced<JudgeWire>
  judge_model: Sourced<string>
  judge_timeout_ms: Sourced<number>
  profile: Sourced<JudgeProfile>
  manner: { [K in keyof Manner]: Sourced<Manner[K]> }
}

const first = <T>(...options: (Sourced<T> | null)[]): Sourced<T> => options.find((it) => it !== null)!
const set = <T>(value: T | undefined): Sourced<T> | null => (value === undefined ? null : { value, source: 'instance' })
const environment = <T>(value: T, says: boolean): Sourced<T> | null => (says ? { value, source: 'env' } : null)
const byDefault = <T>(value: T): Sourced<T> => ({ value, source: 'default' })

/** What is in force: what people set comes before the environment, and that before what Muster says. */
export function judgingOf(overrides: Overrides, env: Environment): Judging {
  const provider = first(set(overrides.judge_provider), byDefault<JudgeProvider>('ollama'))
  const profile = first(set(overrides.judge_profile), byDefault<JudgeProfile>('balanced'))
  const base = profiles[profile.value]
  const manner = Object.fromEntries(
    (Object.keys(base) as (keyof Manner)[]).map((name) => [
      name,
      first<Manner[keyof Manner]>(set(overrides[name]), { value: base[name], source: 'profile' }),
    ]),
  ) as Judging['manner']
  return {
    enabled: first(
      set(overrides.enabled),
      environment(env.enabled === 'true', env.enabled !== ''),
      environment(true, env.endpoint !== ''),
      byDefault(false),
    ),
    judge_provider: provider,
    judge_endpoint_url: first(
      set(overrides.judge_endpoint_url),
      environment(env.endpoint, env.endpoint !== ''),
      byDefault(''),
    ),
    judge_wire: first(set(overrides.judge_wire), byDefault(wiresOf[provider.value][0]!)),
    judge_model: first(set(overrides.judge_model), environment(env.model, env.model !== ''), byDefault('')),
    judge_timeout_ms: first(set(overrides.judge_timeout_ms), byDefault<number>(judgeTimeout.fallback)),
    profile,
    manner,
  }
}

/** All of the manner in a line, which is stored with each decision. */
export function stampOf({ profile, manner }: Judging): string {
  const on = ({ value }: Sourced<boolean>) => (value ? 'on' : 'off')
  const facts = manner.evidence_facts.value
  return [
    profile.value,
    `evidence=${on(manner.evidence)}`,
    `facts=${facts.length === evidenceFacts.length ? 'all' : facts.join(',')}`,
    `hard_gate=${on(manner.hard_gate)}`,
    `escalate_from=${manner.escalate_from.value || 'tier'}`,
    `precedent=${on(manner.precedent)}/${manner.precedent_n.value}`,
    `samples=${manner.consistency_samples.value}`,
    `budget=${manner.prompt_budget_tokens.value}`,
  ].join(' ')
}

/** An address, and what stands before its host, which is a secret. */
export interface Address {
  url: string
  secret: string
}

/** The two parts of an http or https address without a question mark or hash; null for anything else. */
export function addressOf(given: string): Address | null {
  if (!URL.canParse(given)) return null
  const url = new URL(given)
  if (!/^https?:$/.test(url.protocol) || url.search || url.hash) return null
  const secret = decode(url.password || url.username)
  if (secret === null) return null
  url.username = ''
  url.password = ''
  return { url: url.href.replace(/\/+$/, ''), secret }
}

function decode(text: string): string | null {
  try {
    return decodeURIComponent(text)
  } catch {
    return null
  }
}

/** The address as people see it. */
export const redacted = ({ url, secret }: Address): string => (secret ? url.replace('://', '://***@') : url)
