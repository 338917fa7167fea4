import { Type } from 'typebox'
import { collisionKinds } from '../collisions.ts'
import { entry } from './define.ts'
import { named, quoted } from './quote.ts'

const text = Type.String()
const Writer = Type.Object({
  run_id: text,
  agent_id: text,
  agent_name: text,
  agent_slug: text,
  at: Type.String({ description: 'When it was noticed' }),
})
const Collision = Type.Object({
  collision_id: text,
  kind: Type.Enum([...collisionKinds]),
  path: text,
  repository: Type.Optional(text),
  branch: Type.Optional(text),
  certain: Type.Boolean(),
  count: Type.Integer({ description: 'Of `more`: how many further ones' }),
  first: Writer,
  second: Writer,
})

/** A path without the folder that all agents of a crew share. */
const short = (path: string) => quoted(path.replace(/^\/crew\/shared\//, ''))

/** What two agents wrote, as a sentence names it. */
const what = ({ kind, path, repository = '', branch = '', count }: Told) =>
  kind === 'git_index'
    ? `the index of the git work tree ${short(repository)}`
    : kind === 'git_branch'
      ? `the branch ${quoted(branch)} of ${short(repository)}`
      : kind === 'more'
        ? `${count} more ${count === 1 ? 'file' : 'files'}`
        : short(path)

interface Told {
  kind: (typeof collisionKinds)[number]
  path: string
  repository?: string
  branch?: string
  certain: boolean
  count: number
  first: { agent_name: string }
  second: { agent_name: string }
}

/** The sentence that tells of a collision. */
export function collisionSays(it: Told): string {
  const both = `${named(it.first.agent_name)} and ${named(it.second.agent_name)}`
  return `${both} ${it.certain ? '' : 'probably '}both wrote ${what(it)} while both were working`
}

export const collisionFacts = {
  'files.collision': entry('files.collision', 'warn', Collision, collisionSays),
  'files.unwatched': entry(
    'files.unwatched',
    'notice',
    Type.Object({ what: text, says: text, path: Type.Optional(text) }),
    ({ says, path }, { crew }) =>
      `Not all collisions in the shared folders of crew ${crew} are noticed: ${says}${path ? ` ${short(path)}` : ''}`,
  ),
}
