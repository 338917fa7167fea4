import type { Static } from 'typebox'
import type { Reply } from '#contract/define'
import type { keeper } from '#contract/keeper'
import type { KeeperEvent, KeeperHealth, KeeperRequest } from '#contract/keeper-requests'
import { age, when, word } from '../output/cell.ts'
import type { View } from '../output/printer.ts'

type Request = Static<typeof KeeperRequest>

const tones = { ALLOW: 'green', WARN: 'yellow', DENY: 'red', ESCALATE: 'cyan', PENDING: 'dim' } as const
const decision = (value: keyof typeof tones | null) =>
  value === null ? null : { text: value.toLowerCase(), value, tone: tones[value] }

export const keeperRequestView: View<Request> = {
  name: ({ id }) => id,
  empty: 'No agent has asked the judge for anything.',
  columns: {
    ID: ({ id }) => id,
    AGENT: ({ agent_name }) => agent_name,
    CREDENTIAL: ({ credential_name }) => credential_name,
    TYPE: ({ request_type }) => word(request_type),
    DECISION: (it) => decision(it.decision),
    RISK: ({ risk_score }) => risk_score,
    AGE: ({ created_at }) => age(created_at),
  },
  detail: {
    Agent: ({ agent_name }) => agent_name,
    Id: ({ id }) => id,
    Credential: ({ credential_name }) => credential_name,
    Level: ({ security_level }) => security_level,
    Type: ({ request_type }) => word(request_type),
    Intent: ({ intent }) => intent,
    Command: ({ command }) => command ?? null,
    Decision: (it) => decision(it.decision),
    Reason: ({ reason }) => reason,
    Risk: ({ risk_score }) => risk_score,
    'Decided by': ({ rule }) => rule?.replaceAll('_', ' ') ?? null,
    'Exit code': ({ exit_code }) => exit_code ?? null,
    Profile: ({ judge_profile }) => judge_profile ?? null,
    Asked: ({ created_at }) => when(created_at),
    Decided: ({ decided_at }) => when(decided_at),
  },
  below: ({ ollama_prompt, ollama_raw_response }) =>
    [
      ollama_prompt && `**The judge was asked:**\n\n${ollama_prompt}`,
      ollama_raw_response && `**It answered:**\n\n${ollama_raw_response}`,
    ]
      .filter(Boolean)
      .join('\n\n'),
}

export const keeperEventView: View<Static<typeof KeeperEvent>> = {
  name: ({ seq }) => String(seq),
  columns: {
    SEQ: ({ seq }) => seq,
    STATE: ({ state }) => decision(state),
    ACTOR: ({ actor_type }) => word(actor_type),
    RISK: ({ risk_score }) => risk_score ?? null,
    EXIT: ({ exit_code }) => exit_code ?? null,
    REASON: ({ reason }) => reason ?? null,
    AGE: ({ recorded_at }) => age(recorded_at),
  },
}

export const keeperAnswerView: View<Reply<typeof keeper.ask>> = {
  name: ({ request_id }) => request_id,
  columns: {},
  detail: {
    Decision: (it) => decision(it.decision),
    Reason: ({ reason }) => reason,
    Risk: ({ risk_score }) => risk_score,
    File: ({ file }) => file ?? null,
    Until: ({ expires_at }) => (expires_at ? when(expires_at) : null),
    Request: ({ request_id }) => request_id,
  },
}

const percent = (rate: number): string => `${Math.round(rate * 1000) / 10} %`

export const keeperHealthView: View<Static<typeof KeeperHealth>> = {
  name: ({ workspace_id }) => workspace_id,
  columns: {},
  detail: {
    Alarm: ({ alarm }) => (alarm ? { text: alarm.summary, tone: 'red' } : null),
    Decisions: ({ samples }) => samples,
    Allowed: ({ allow, allow_rate }) => `${allow} (${percent(allow_rate)})`,
    Denied: ({ deny, deny_rate }) => `${deny} (${percent(deny_rate)})`,
    'For people': ({ escalate, escalate_rate }) => `${escalate} (${percent(escalate_rate)})`,
    'Without a verdict': ({ judge_failures, judge_failure_rate }) =>
      `${judge_failures} (${percent(judge_failure_rate)})`,
    '95 % within': ({ p95_latency_ms }) => `${p95_latency_ms} ms`,
    Since: ({ oldest }) => when(oldest),
  },
}
