import type { Static } from 'typebox'
import type { Assignment as Schema } from '#contract/assignments'
import { age, status, when } from '../output/cell.ts'
import type { View } from '../output/printer.ts'

/** An assignment with the slug of its crew, where that is known. */
export type Assignment = Omit<Static<typeof Schema>, 'status'> & { status: string; crew?: string }

const from = ({ assigned_by_name, assigned_by_slug }: Assignment) => `${assigned_by_name} (@${assigned_by_slug})`
const to = ({ assigned_to_name, assigned_to_slug }: Assignment) => `${assigned_to_name} (@${assigned_to_slug})`
const failure = ({ error_message }: Assignment) =>
  error_message ? ({ text: error_message, tone: 'red' } as const) : null

export const assignmentView: View<Assignment> = {
  name: ({ id }) => id,
  empty: 'No agent was given work by another.',
  columns: {
    ID: ({ id }) => id,
    STATE: ({ state }) => status(state),
    FROM: ({ assigned_by_slug }) => assigned_by_slug,
    TO: ({ assigned_to_slug, crew }) => (crew ? `${assigned_to_slug} (${crew})` : assigned_to_slug),
    TASK: ({ task }) => task.split('\n')[0]!,
    ERROR: failure,
    AGE: ({ created_at }) => age(created_at),
  },
  detail: {
    Id: ({ id }) => id,
    State: ({ state }) => status(state),
    From: from,
    To: to,
    Depth: ({ depth }) => depth,
    Error: failure,
    Run: ({ run_id }) => run_id,
    'Asked in run': ({ parent_run_id }) => parent_run_id,
    Chat: ({ chat_id }) => chat_id,
    Created: ({ created_at }) => when(created_at),
    Queued: ({ queued_at }) => when(queued_at),
    Started: ({ started_at }) => when(started_at),
    Finished: ({ finished_at }) => when(finished_at),
  },
  below: ({ task, result_summary }) =>
    [task, result_summary && `Result:\n\n${result_summary}`].filter(Boolean).join('\n\n'),
}
