import type { Static } from 'typebox'
import type { Agent, AgentRow } from '#contract/agents'
import { age, span, status, when, word } from '../output/cell.ts'
import type { View } from '../output/printer.ts'
import { inWords } from './schedules.ts'

type Row = Static<typeof AgentRow> & Partial<Pick<Static<typeof Agent>, 'webhook_secret_set' | 'schedule_next_runs'>>

/** A ghost works no more. An agent that does nothing else waits for a person, where one of its runs does. */
const standing = ({ status, waiting_runs, expired_at }: Row) =>
  expired_at ? 'EXPIRED' : status === 'IDLE' && waiting_runs ? 'WAITING' : status

export const agentView: View<Row> = {
  name: ({ slug }) => slug,
  empty: 'There are no agents here. Next: muster agents create NAME --crew CREW',
  columns: {
    NAME: ({ slug }) => slug,
    CREW: ({ crew }) => crew?.slug,
    ROLE: ({ agent_role, role_title }) => role_title || agent_role.toLowerCase(),
    STATUS: (it) => status(standing(it)),
    ADAPTER: ({ cli_adapter }) => word(cli_adapter),
    MODEL: ({ llm_model }) => llm_model,
    AGE: ({ created_at }) => age(created_at),
  },
  wide: { 'DISPLAY-NAME': ({ name }) => name, ID: ({ id }) => id },
  detail: {
    Slug: ({ slug }) => slug,
    Name: ({ name }) => name,
    Id: ({ id }) => id,
    Crew: ({ crew }) => crew?.slug,
    Title: ({ role_title }) => role_title,
    Role: ({ agent_role, lead_mode }) =>
      lead_mode ? `${agent_role.toLowerCase()}, ${lead_mode}` : agent_role.toLowerCase(),
    Status: (it) => status(standing(it)),
    'Waiting runs': ({ waiting_runs }) => waiting_runs || null,
    Description: ({ description }) => description,
    Adapter: ({ cli_adapter }) => word(cli_adapter),
    Provider: ({ llm_provider }) => word(llm_provider),
    Model: ({ llm_model }) => llm_model,
    'Paid by': ({ pays_with: by }) =>
      by ? (by.restricted ? 'an account that you may not see' : [by.name, by.login].filter(Boolean).join(', ')) : null,
    Tools: ({ tool_profile, cli_tools }) => [tool_profile, cli_tools].filter(Boolean).join(': '),
    'Longest run': ({ timeout_seconds }) => ({ text: span(timeout_seconds), value: timeout_seconds }),
    Prompt: ({ system_prompt }) => system_prompt,
    Suggests: ({ suggested_prompts }) => suggested_prompts,
    Schedule: ({ schedule_cron: cron, schedule_timezone: zone, schedule_enabled: on }) =>
      cron && `${cron} ${zone}${on ? '' : ', switched off'}`,
    'Next runs': ({ schedule_next_runs: next = [], schedule_timezone: zone }) =>
      next.map((at) => inWords(at, zone)).join(', ') || null,
    'Last scheduled': ({ schedule_last_run }) => when(schedule_last_run),
    Webhook: ({ webhook_secret_set: set, webhook_require_timestamp: strict }) =>
      set ? (strict ? 'open, with timestamps only' : 'open') : null,
    Memory: ({ memory_enabled }) => (memory_enabled ? 'on' : null),
    Chats: ({ _count }) => _count.chats,
    Credentials: ({ _count }) => _count.credentials,
    'Hired until': ({ expires_at }) => when(expires_at),
    'Ghost since': ({ expired_at }) => when(expired_at),
    'Hired for': ({ hire_reason }) => hire_reason,
    'Last active': ({ last_active_at }) => when(last_active_at),
    'Made by': ({ owner }) => owner && (owner.full_name ?? owner.email),
    Created: ({ created_at }) => when(created_at),
    Updated: ({ updated_at }) => when(updated_at),
  },
}
