import { Type } from 'typebox'
import { LogLine } from './activity.ts'
import { agentStatuses, cliAdapters } from './agents.ts'
import { get } from './define.ts'
import { Id, nullable, Time } from './fields.ts'

const count = (description: string) => Type.Integer({ description })

/** What waits on an agent, and what those who run the server see of it. */
export const agentStanding = {
  inbox: get('/agents/:agentId/inbox', {
    summary: 'Show what waits on an agent, and what it used this month',
    access: 'VIEWER',
    reply: Type.Object({
      approvals_pending: count('Asked for by the agent, or about it'),
      assignments_open: count('0: this version has no assignments'),
      escalations_open: count('Questions of the agent that nobody has answered'),
      peer_messages: Type.Array(
        Type.Object({
          id: Id,
          from_agent_name: Type.String(),
          from_agent_slug: Type.String(),
          to_agent_name: Type.Optional(Type.String()),
          to_agent_slug: Type.Optional(Type.String()),
          question: Type.String(),
          response: Type.Optional(Type.String()),
          escalated: Type.Boolean(),
          duration_ms: Type.Optional(Type.Integer()),
          status: Type.String(),
          created_at: Time,
          direction: Type.Enum(['incoming', 'outgoing']),
        }),
        { description: 'What it asked other agents and they asked it, the newest 20' },
      ),
      cost_usd_this_month: nullable(
        Type.Number({ description: 'Of the runs that ended since the month began in UTC; null when no cost is known' }),
      ),
      llm_calls_this_month: Type.Integer(),
      tokens_used_this_month: Type.Integer(),
    }),
    throws: ['not_found'],
  }),
  debug: get('/agents/:agentId/debug', {
    summary: 'Show what the server knows of an agent, its container and itself, without paths and values',
    access: 'ADMIN',
    reply: Type.Object({
      agent: Type.Object({
        id: Id,
        name: Type.String(),
        cli_adapter: Type.Enum(cliAdapters),
        db_status: Type.Enum(agentStatuses),
      }),
      daemon_reachable: Type.Boolean(),
      daemon: Type.Object({
        status: Type.String({ description: 'ok or degraded' }),
        uptime: Type.String(),
        uptime_secs: Type.Integer(),
        connections: count('Sockets and streams that are open'),
        started_at: Time,
        providers: Type.Array(Type.String({ description: 'of containers: docker or process' })),
        container_available: Type.Boolean(),
      }),
      runtime: Type.Object({
        agent_id: Type.Optional(Id),
        status: Type.String({ description: 'running, idle, or unreachable' }),
        container: Type.Optional(nullable(Type.String({ description: "State of its crew's container" }))),
      }),
      service_logs: Type.Array(
        Type.Object({
          time: Time,
          level: Type.String(),
          msg: Type.String(),
          attrs: Type.Record(Type.String(), Type.Unknown()),
        }),
        { description: 'What the journal says that the server did about it, newest first' },
      ),
      agent_logs: Type.Array(LogLine),
    }),
    throws: ['not_found'],
  }),
}
