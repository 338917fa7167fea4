import { hash } from 'node:crypto'
import { fact } from '#contract/entries'
import type { ToolOutcome } from '#contract/entries/integrations'
import type { App } from '#kernel/app'
import { cutBytes } from '#kernel/cut'
import { plainLine } from '#kernel/plain-line'
import { untilWritten } from '#kernel/store/until-written'
import { showsToolArguments } from '../../workspaces/service.ts'
import type { Caller } from './service.ts'

/** A call of a tool, and how it ended. */
export interface CallRecord {
  server: string
  serverId: string | null
  tool: string
  given: unknown
  outcome: ToolOutcome
  /** Why there was no answer of the tool. */
  reason: string | null
  durationMs: number
}

const mostName = 128
/** Of arguments that are shown. */
const mostBytes = 4096

/** Puts a call on record. What an agent or a server wrote is shown on one line, without secrets. */
export async function recordCall(app: App, caller: Caller, call: CallRecord): Promise<void> {
  const { agent, runId } = caller
  const { server, serverId, tool, given, outcome, reason, durationMs } = call
  const clean = app.scrub({ agent_id: agent.id, workspace_id: agent.workspace_id }, [])
  const payload = {
    ...(serverId !== null && { server_id: serverId }),
    ...clean({
      server: plainLine(server, mostName),
      tool: plainLine(tool, mostName),
      ...(reason !== null && { reason: plainLine(reason) }),
    }),
    outcome,
    duration_ms: Math.round(durationMs),
    ...(showsToolArguments(app, agent.workspace_id) && {
      arguments: cutBytes(JSON.stringify(clean(given ?? {})), mostBytes),
    }),
    arguments_hash: hash('sha256', JSON.stringify(given ?? {}), 'hex'),
  }
  const about = {
    workspace_id: agent.workspace_id,
    ...(agent.crew_id && { crew_id: agent.crew_id }),
    agent_id: agent.id,
    actor_type: 'agent',
    actor_id: agent.id,
    trace_id: runId,
  } as const
  await untilWritten(app, () => app.journal(fact('mcp.tool_call', payload, about)))
}
