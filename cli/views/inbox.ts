import type { Static } from 'typebox'
import type { InboxItem as Schema } from '#contract/inbox'
import { age, when } from '../output/cell.ts'
import type { View } from '../output/printer.ts'

type Item = Static<typeof Schema>

const kindNames: Readonly<Record<Item['kind'], string>> = {
  waitpoint: 'approval',
  escalation: 'question',
  failed_run: 'failed run',
  message: 'message',
  memory_consolidation: 'memory',
  run_needs_human: 'question',
  schedule_missed: 'schedule',
  schedule_circuit_breaker_tripped: 'schedule',
  webhook_fire_failed: 'webhook',
  automation_enqueue_failed: 'automation',
}

/** What people call the kind of an item; a newer server may have others. */
export const kindName = (kind: Item['kind']): string => kindNames[kind] ?? kind

const tones = { urgent: 'red', high: 'yellow', medium: undefined, low: 'dim' } as const
const priority = ({ priority: value }: Item) => ({ text: value, value, ...(tones[value] && { tone: tones[value] }) })
const state = ({ state: value, blocking }: Item) => {
  if (value === 'resolved') return { text: value, value, tone: 'dim' as const }
  return {
    text: blocking ? `${value}, waits for you` : value,
    value,
    ...(value === 'unread' && { tone: 'cyan' as const }),
  }
}

export const inboxView: View<Item> = {
  name: ({ id }) => id,
  empty: 'Nothing waits for you.',
  columns: {
    ID: ({ id }) => id,
    KIND: ({ kind }) => kind && { text: kindName(kind), value: kind },
    PRIORITY: priority,
    STATE: state,
    FROM: ({ sender_name, sender_type }) => sender_name ?? sender_type,
    TITLE: ({ title }) => title,
    AGE: ({ created_at }) => age(created_at),
  },
  detail: {
    Title: ({ title }) => title,
    Id: ({ id }) => id,
    Kind: ({ kind }) => kind && { text: kindName(kind), value: kind },
    State: state,
    Priority: priority,
    From: ({ sender_name, sender_type }) => sender_name ?? sender_type,
    For: ({ target_role, target_user_id }) =>
      target_user_id ? 'you' : target_role ? `${target_role} and above` : 'everybody',
    Raised: ({ created_at }) => when(created_at),
    Resolved: ({ resolved_at }) => when(resolved_at),
    Outcome: ({ resolved_action }) => resolved_action,
  },
  below: ({ body_md }) => body_md ?? '',
}
