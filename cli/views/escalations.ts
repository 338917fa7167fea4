import type { Static } from 'typebox'
import type { Escalation as Schema } from '#contract/escalations'
import { age, when, word } from '../output/cell.ts'
import type { View } from '../output/printer.ts'

/** A question with the slug of its crew, where that is known. */
export type Escalation = Static<typeof Schema> & { crew?: string }

const status = ({ status: value, agent_gave_up_at: gone }: Escalation) => {
  if (value !== 'PENDING') return { text: value.toLowerCase(), value, tone: 'dim' as const }
  return {
    text: gone ? 'open, the agent went on' : 'open, the agent waits',
    value,
    tone: gone ? ('yellow' as const) : ('cyan' as const),
  }
}
const outcome = ({ action, redirect_to }: Escalation) => (redirect_to ? `${action} to @${redirect_to}` : action)

/** What people decide by, below the members. */
function below({ reason, context, resolution, type, metadata }: Escalation): string {
  const attached =
    type === 'TEXT' || !metadata
      ? ''
      : type === 'LINK'
        ? `<${metadata}>`
        : `It offers the credential \`${metadata}\`. Its value is not shown.`
  return [reason, context, attached, resolution && `**Answer:** ${resolution}`].filter(Boolean).join('\n\n')
}

export const escalationView: View<Escalation> = {
  name: ({ id }) => id,
  empty: 'There are no open questions.',
  columns: {
    ID: ({ id }) => id,
    TYPE: ({ type }) => word(type),
    FROM: ({ from_slug, crew }) => (crew ? `${from_slug} (${crew})` : from_slug),
    STATUS: status,
    REASON: ({ reason }) => reason.split('\n')[0]!,
    'ANSWER-BY': ({ answer_deadline_at: by, status: now }) => (now === 'PENDING' ? when(by) : null),
    AGE: ({ created_at }) => age(created_at),
  },
  detail: {
    From: ({ from_name, from_slug }) => `${from_name} (@${from_slug})`,
    Id: ({ id }) => id,
    Type: ({ type }) => word(type),
    Status: status,
    Asked: ({ created_at }) => when(created_at),
    'Answer by': ({ answer_deadline_at: by, status: now }) => (now === 'PENDING' ? when(by) : null),
    Outcome: outcome,
    Decided: ({ resolved_at }) => when(resolved_at),
    'Decided by': ({ resolved_by, resolved_by_user_id }) => resolved_by_user_id ?? resolved_by,
    'Second approver': ({ second_approver_required: needed }) =>
      needed ? 'needed: not by who created the agent' : null,
  },
  below,
}
