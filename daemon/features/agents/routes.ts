import { agents } from '#contract/agents'
import { feature, staged } from '#kernel/feature'
import { pageOf } from '#kernel/http/fields'
import { load } from './load/service.ts'
import { checkModel } from './models/service.ts'
import { queries } from './queries.ts'
import { removeAgent, removeCrewAgents, removeFreeAgents } from './removal/service.ts'
import { toAgent, toAgentRows } from './rows.ts'
import { fold } from './rules.ts'
import { agentById, createAgent, findAgent, updateAgent } from './service.ts'
import { settleReview } from './status/service.ts'

/** The reaction to decisions that delete the agent. */
const reviewed = { writes: ['agent.deleted'] as const, run: settleReview }

export default feature(
  agents,
  (app) => ({
    list: ({ actor, query, web }) => {
      const { limit, offset } = pageOf(query)
      const filter = {
        workspace: actor.workspace,
        crew: query.crew_id || null,
        q: fold((query.q ?? '').trim()),
        hired: query.ephemeral === '1' ? (1 as const) : (0 as const),
      }
      const total = queries(app.db).count.get(filter)?.n ?? 0
      web?.reply.headers({ 'x-total-count': String(total), 'x-limit': String(limit), 'x-offset': String(offset) })
      return toAgentRows(app, queries(app.db).list.all({ ...filter, limit, offset }), actor)
    },
    status: ({ actor }) => {
      const counts = new Map(
        queries(app.db)
          .statuses.all(actor.workspace)
          .map(({ status, n }) => [status, n]),
      )
      const total = [...counts.values()].reduce((sum, n) => sum + n, 0)
      const running = counts.get('RUNNING') ?? 0
      const error = counts.get('ERROR') ?? 0
      return {
        total,
        running,
        error,
        idle: total - running - error,
        queued: queries(app.db).queued.get(actor.workspace)!.n,
      }
    },
    load: (call) => load(app, call),
    create: staged(
      (call) => checkModel(app, call),
      (call) => createAgent(app, call),
    ),
    show: ({ actor, agentId }) => toAgent(app, findAgent(app, actor.workspace, agentId), actor),
    update: staged(
      (call) => checkModel(app, call, findAgent(app, call.actor.workspace, call.agentId)),
      (call) => updateAgent(app, call),
    ),
    remove: (call) => removeAgent(app, call),
  }),
  {
    on: {
      'crew.deleted': { writes: ['agent.deleted'], run: removeCrewAgents },
      'workspace.deleted': { writes: ['agent.deleted'], run: removeFreeAgents },
      'approval.granted': { writes: ['agent.status_change'], run: settleReview },
      'approval.denied': reviewed,
      'approval.timeout': reviewed,
      'approval.cancelled': reviewed,
    },
    channels: { agent: (app, id) => agentById(app, id)?.workspace_id },
  },
)
