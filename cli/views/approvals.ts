import type { Static } from 'typebox'
import type { Approval as Schema } from '#contract/approvals'
import type { waitpoints } from '#contract/waitpoints'
import { age, when } from '../output/cell.ts'
import type { View } from '../output/printer.ts'

type Approval = Static<typeof Schema>
type Waitpoint = Static<typeof waitpoints.list.reply>[number]

const status = ({ status: value }: Approval) =>
  value === 'pending' ? { text: value, value, tone: 'cyan' as const } : { text: value, value, tone: 'dim' as const }
const kind = ({ kind: value }: Approval) => value.replaceAll('_', ' ')
const about = ({ payload }: Approval) => (typeof payload['agent_name'] === 'string' ? payload['agent_name'] : null)

export const approvalView: View<Approval> = {
  name: ({ id }) => id,
  empty: 'No requests wait for approval.',
  columns: {
    ID: ({ id }) => id,
    KIND: kind,
    ABOUT: about,
    STATUS: status,
    REASON: ({ reason }) => reason.split('\n')[0]!,
    UNTIL: ({ status: now, timeout_at }) => (now === 'pending' ? when(timeout_at) : null),
    AGE: ({ created_at }) => age(created_at),
  },
  detail: {
    Kind: kind,
    Id: ({ id }) => id,
    About: about,
    Status: status,
    'Asked by': ({ requested_by }) => requested_by,
    Created: ({ created_at }) => when(created_at),
    Until: ({ status: now, timeout_at }) => (now === 'pending' ? when(timeout_at) : null),
    Decided: ({ decided_at }) => when(decided_at),
    'Decided by': ({ decided_by }) => decided_by,
    Comment: ({ decision_comment }) => decision_comment,
  },
  below: ({ reason }) => reason,
}

export const waitpointView: View<Waitpoint> = {
  name: ({ id }) => id,
  empty: 'No work waits for a decision.',
  columns: {
    ID: ({ id }) => id,
    KIND: ({ kind: value }) => value,
    PROMPT: ({ prompt }) => prompt.split('\n')[0]!,
    RUN: ({ pipeline_run_id }) => pipeline_run_id,
    UNTIL: ({ timeout_at }) => when(timeout_at),
    AGE: ({ created_at }) => age(created_at),
  },
}
