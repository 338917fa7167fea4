import type { Static } from 'typebox'
import type { KeeperHealth } from '#contract/keeper-requests'

/** How much is remembered, and when something is wrong. */
export const limits = {
  window: 200,
  workspaces: 64,
  minSamples: 20,
  progressedRate: 0.05,
  failureRate: 0.25,
  cooldownMs: 6 * 3_600_000,
} as const

export interface Sample {
  decision: 'ALLOW' | 'DENY' | 'ESCALATE'
  failed: boolean
  /** Null where no judge was asked. */
  latency: number | null
  at: string
}

type Health = Static<typeof KeeperHealth>
export type AlarmKind = NonNullable<Health['alarm']>['kind']

const round = (value: number): number => Math.round(value * 10_000) / 10_000

/** The window in figures, without its alarm. */
export function figuresOf(workspace_id: string, samples: readonly Sample[]): Omit<Health, 'alarm'> {
  const of = (decision: Sample['decision']) => samples.filter((it) => it.decision === decision).length
  const [allow, deny, escalate] = [of('ALLOW'), of('DENY'), of('ESCALATE')]
  const judge_failures = samples.filter(({ failed }) => failed).length
  const share = (count: number) => (samples.length ? round(count / samples.length) : 0)
  const latencies = samples.flatMap(({ latency }) => latency ?? []).sort((a, b) => a - b)
  return {
    workspace_id,
    samples: samples.length,
    allow,
    deny,
    escalate,
    judge_failures,
    allow_rate: share(allow),
    deny_rate: share(deny),
    escalate_rate: share(escalate),
    progressed_rate: share(allow + escalate),
    judge_failure_rate: share(judge_failures),
    p95_latency_ms: latencies[Math.ceil(latencies.length * 0.95) - 1] ?? 0,
    min_samples: limits.minSamples,
    alarm_progressed_rate: limits.progressedRate,
    alarm_judge_failure_rate: limits.failureRate,
    oldest: samples[0]?.at ?? null,
    newest: samples.at(-1)?.at ?? null,
  }
}

/** What is wrong; null when nothing is, or too little is known. A judge that fails denies, so that comes first. */
export function alarmIn(it: Omit<Health, 'alarm'>): { kind: AlarmKind; summary: string } | null {
  if (it.samples < limits.minSamples) return null
  const percent = (rate: number) => `${Math.round(rate * 100)} %`
  if (it.judge_failure_rate >= limits.failureRate)
    return {
      kind: 'judge_failure_spike',
      summary: `The judge gave no verdict for ${percent(it.judge_failure_rate)} of the last ${it.samples} requests`,
    }
  if (it.progressed_rate < limits.progressedRate)
    return {
      kind: 'allow_rate_collapsed',
      summary: `${percent(it.deny_rate)} of the last ${it.samples} requests were denied`,
    }
  return null
}
