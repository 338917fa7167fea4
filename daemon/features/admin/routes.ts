import { admin } from '#contract/admin'
import { feature, wished } from '#kernel/feature'
import { pageOf } from '#kernel/http/fields'
import { queries } from './queries.ts'
import { openSubjectJobs } from './subjects/find.ts'
import * as subjects from './subjects/service.ts'

/** What an owner sees of the workspace, and what is kept about people. */
export default feature(
  admin,
  (app) => {
    const { db } = app
    app.reads.provide(openSubjectJobs)
    return {
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
      exportData: wished(
        (call) => subjects.recordExport(app, call),
        (call, action) => subjects.exportData(app, call, action),
      ),
      purgeData: wished(
        (call) => subjects.beginPurge(app, call),
        (call, action) => subjects.purge(app, call, action),
      ),
    }
  },
  { jobs: [subjects.endLeft] },
)
