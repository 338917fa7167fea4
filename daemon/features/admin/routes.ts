import { admin } from '#contract/admin'
import { feature } from '#kernel/feature'
import { pageOf } from '#kernel/http/fields'
import { queries } from './queries.ts'

/** What an owner sees of the workspace. */
export default feature(admin, ({ db }) => ({
  stats: ({ actor }) => ({ workspaces: 1 as const, ...queries(db).held.get({ workspace: actor.workspace })! }),
  users({ actor, query }) {
    const { limit, offset } = pageOf(query, { fallback: 500 })
    const { id, name, slug } = queries(db).workspace.get(actor.workspace)!
    const workspace = { id, name, slug }
    return queries(db)
      .users.all(actor.workspace, limit, offset)
      .map(({ role, ...user }) => ({ ...user, workspace, role }))
  },
  workspaces({ actor }) {
    const { users, agents, crews } = queries(db).held.get({ workspace: actor.workspace })!
    const workspace = queries(db).workspace.get(actor.workspace)!
    return [{ ...workspace, _count_members: users, _count_agents: agents, _count_crews: crews }]
  },
}))
