import type { Static } from 'typebox'
import type { Checkpoint } from '#contract/checkpoints'
import { age, when } from '../output/cell.ts'
import type { View } from '../output/printer.ts'

type Shown = Static<typeof Checkpoint>

const filesOf = ({ state }: Shown): string | null => state.meta?.files.state ?? null

export const checkpointView: View<Shown> = {
  name: ({ id }) => id,
  empty: 'There are no checkpoints here. Next: muster checkpoints create MISSION',
  columns: {
    ID: ({ id }) => id,
    LABEL: ({ label }) => label ?? null,
    CURSOR: ({ journal_cursor }) => journal_cursor,
    FILES: filesOf,
    'CREATED-BY': ({ created_by_name }) => created_by_name || 'Muster',
    AGE: ({ created_at }) => age(created_at),
  },
  wide: { 'FORK-OF': ({ fork_of }) => fork_of ?? null },
  detail: {
    Id: ({ id }) => id,
    Label: ({ label }) => label ?? null,
    Mission: ({ mission_id }) => mission_id,
    Cursor: ({ journal_cursor }) => journal_cursor,
    'Pending tasks': ({ state }) => state.pending_tasks.length,
    'Open assignments': ({ state }) => state.open_assignments.length,
    'Agents with memory': ({ state }) => Object.keys(state.agent_memory).length,
    Files: filesOf,
    'Fork of': ({ fork_of }) => fork_of ?? null,
    'Created by': ({ created_by_name }) => created_by_name || 'Muster',
    Created: ({ created_at }) => when(created_at),
  },
  below: ({ state }) => state.meta?.files.reason ?? '',
}
