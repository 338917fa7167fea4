import type { Static } from 'typebox'
import type { collisions, Collision as Schema } from '#contract/collisions'
import type { Reply } from '#contract/define'
import { age, when } from '../output/cell.ts'
import type { View } from '../output/printer.ts'

type Collision = Static<typeof Schema>
type Watch = Reply<typeof collisions.watch>

const kinds: Readonly<Record<Collision['kind'], string>> = {
  file: 'file',
  git_index: 'git index',
  git_branch: 'git branch',
  more: 'further files',
}

const what = ({ kind, path, repository, branch, count }: Collision) =>
  kind === 'more' ? String(count) : kind === 'git_branch' ? `${branch} of ${repository}` : (repository ?? path)

export const collisionView: View<Collision> = {
  name: ({ id }) => id,
  empty: 'No two agents of a crew have written the same file while both were at work.',
  columns: {
    ID: ({ id }) => id,
    CREW: ({ crew_slug }) => crew_slug,
    KIND: ({ kind }) => kinds[kind],
    WHAT: what,
    FIRST: ({ first_agent_slug }) => first_agent_slug,
    SECOND: ({ second_agent_slug }) => second_agent_slug,
    CERTAIN: ({ certain }) => (certain ? 'yes' : 'probably'),
    AGE: ({ created_at }) => age(created_at),
  },
  wide: {
    'FIRST-RUN': ({ first_run_id }) => first_run_id,
    'SECOND-RUN': ({ second_run_id }) => second_run_id,
    PATH: ({ path }) => path || null,
  },
}

export const collisionWatchView: View<Watch> = {
  name: ({ crew_id }) => crew_id,
  empty: 'Nothing is watched.',
  columns: { STATE: ({ state }) => state },
  detail: {
    State: ({ state }) => state,
    Reason: ({ reason }) => reason,
    Since: ({ since }) => since && when(since),
    Folders: ({ folders }) => folders,
  },
  below: ({ gaps }) =>
    gaps.length ? ['Not everything was noticed:', ...gaps.map(({ says }) => `- ${says}`)].join('\n') : '',
}
