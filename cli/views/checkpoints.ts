import type { Static } from 'typebox'
import type { Checkpoint, checkpoints } from '#contract/checkpoints'
import type { Reply } from '#contract/define'
import { age, type Cell, size, when } from '../output/cell.ts'
import type { View } from '../output/printer.ts'

type Shown = Static<typeof Checkpoint>

const filesOf = ({ state }: Shown): string | null => state.meta?.files.state ?? null

type Marked = NonNullable<Shown['state']['meta']>['files']
const marked =
  (of: (files: Marked) => Cell) =>
  ({ state }: Shown): Cell =>
    state.meta ? of(state.meta.files) : null

/** What was not marked, of which only the first paths are known. */
const leftOut = ({ left_out, left_out_paths = [] }: Marked): Cell =>
  left_out ? [left_out, left_out_paths.join(', ')].filter(Boolean).join(': ') : null

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
    'Marked files': marked(({ files }) => files),
    'Marked folders': marked(({ folders }) => folders),
    'Marked links': marked(({ links }) => links),
    Size: marked(({ bytes }) => size(bytes)),
    'Left out': marked(leftOut),
    'Written meanwhile': marked(({ moving }) => moving),
    'Fork of': ({ fork_of }) => fork_of ?? null,
    'Created by': ({ created_by_name }) => created_by_name || 'Muster',
    Created: ({ created_at }) => when(created_at),
  },
  below: ({ state }) => state.meta?.files.reason ?? '',
}

type Since = Reply<typeof checkpoints.files>
type Difference = Reply<typeof checkpoints.diff>

const tones = { added: 'green', changed: 'yellow', deleted: 'red' } as const

export const changeView: View<Since['files'][number]> = {
  name: ({ path }) => path,
  empty: 'No file differs from the checkpoint.',
  columns: {
    NAME: ({ path }) => path,
    CHANGE: ({ change }) => ({ text: change, value: change, tone: tones[change] }),
    KIND: ({ kind }) => kind,
    WHAT: ({ what }) => what.join(', ') || null,
    BEFORE: ({ size_before }) => size_before,
    NOW: ({ size_now }) => size_now,
  },
}

export const summaryOf = ({ added, changed, deleted }: Since): string =>
  `${added} added, ${changed} changed, ${deleted} deleted`

const words: Readonly<Record<Difference['state'], string>> = {
  text: '',
  same: 'has the same content',
  binary: 'is no text',
  too_large: 'is too large to be shown',
  no_file: 'is no file',
}

/** How a file differs, for people. */
export const wordOf = ({ state, path, diff }: Difference): string =>
  state === 'text' ? diff.trimEnd() : `${path} ${words[state]}`
