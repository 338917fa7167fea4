import { crews } from '#contract/crews'
import { feature, staged, wished } from '#kernel/feature'
import { pageOf } from '#kernel/http/fields'
import { containerLogs, containerStatus, start, stop, wish } from './containers/requests.ts'
import { workspaceOfCrew } from './containers/service.ts'
import { queries } from './queries.ts'
import {
  checkImage,
  createCrew,
  findCrew,
  removeCrew,
  removeWorkspaceCrews,
  showCrew,
  toCrew,
  updateCrew,
} from './service.ts'

export default feature(
  crews,
  (app) => {
    const update = staged<typeof crews.update, string[]>(
      async (call) => checkImage(app, call),
      (call, notes) => updateCrew(app, call, notes),
    )
    return {
      list: ({ actor, query }) => {
        const { limit, offset } = pageOf(query)
        return queries(app.db)
          .list.all(actor.workspace, limit, offset)
          .map((row) => toCrew(app, row))
      },
      create: staged(
        async (call) => checkImage(app, call),
        (call, notes) => createCrew(app, call, notes),
      ),
      show: ({ actor, crewId }) => showCrew(app, findCrew(app, actor.workspace, crewId)),
      update,
      replace: update,
      remove: (call) => removeCrew(app, call),
      start: wished(
        (call) => wish(app, call, 'running'),
        (call) => start(app, call),
      ),
      stop: wished(
        (call) => wish(app, call, 'stopped'),
        (call) => stop(app, call),
      ),
      status: (call) => containerStatus(app, call),
      logs: (call) => containerLogs(app, call),
    }
  },
  {
    on: { 'workspace.deleted': { writes: ['crew.deleted'], run: removeWorkspaceCrews } },
    channels: { crew: workspaceOfCrew, files: workspaceOfCrew },
  },
)
