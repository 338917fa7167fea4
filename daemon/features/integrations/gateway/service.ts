import type { ToolOutcome } from '#contract/entries/integrations'
import type { App } from '#kernel/app'
import { isObject } from '#kernel/http/json-bounds'
import type { ServerProcess, ServerProgram } from '#runtime/types'
import type { AgentRow } from '../../agents/service.ts'
import type { Clean } from '../connections/sending.ts'
import type { Effective } from '../resolved/rules.ts'
import { integrationCalled, integrationsOf } from '../resolved/service.ts'
import { isRefusal, type Session, unusable } from '../sessions/service.ts'
import { mayCall, toolState, toolStates } from '../tools/service.ts'
import { learnTools } from './listing.ts'
import { recordCall } from './record.ts'
import { sessionsOf } from './sessions.ts'
import { reach } from './ways.ts'

/** The agent that asks, within a run that is at work. */
export interface Caller {
  agent: Pick<AgentRow, 'id' | 'workspace_id' | 'crew_id'>
  runId: string
  /** Whether the crew's network policy lets this run reach a host. */
  permits(host: string): boolean
  /** It may reach less than its crew. */
  restricted: boolean
  /** Starts a server in the agent's crew. */
  start(program: ServerProgram): Promise<ServerProcess>
  /** Whether the agent can wait for people. */
  waits: boolean
  /** Aborts when nobody waits for the answer any more. */
  signal: AbortSignal
  /** A copy without these secrets. */
  scrubber(secrets: readonly string[]): Clean
}

/** One message for a server, as JSON-RPC has it. */
export interface Message {
  server: string
  method: string
  params: Record<string, unknown>
}

export type Outcome = { result: object } | { error: { code: number; message: string } }

const failure = (message: string, code = -32000): Outcome => ({ error: { code, message } })

const versions = ['2025-11-25', '2025-06-18', '2025-03-26']

/** Names of the servers that an agent's client is told of. */
export const gatewayServers = (app: App, agent: Pick<AgentRow, 'id' | 'workspace_id' | 'crew_id'>): string[] =>
  integrationsOf(app, agent).map(({ server }) => server.name)

/** Answers what an agent's client asks one of its servers. Whatever the server does, this answers. */
export async function answerServer(app: App, caller: Caller, { server, method, params }: Message): Promise<Outcome> {
  const found = integrationCalled(app, caller.agent, server)
  if (method === 'tools/call') return callTool(app, caller, found, { server, params })
  if (!found) return failure(`There is no server ${server.slice(0, 64)} for this agent`, -32602)
  if (method === 'initialize') return { result: greeting(found, params) }
  if (method !== 'tools/list') return failure(`There is no method ${method.slice(0, 64)}`, -32601)
  try {
    await connected(app, caller, found, async () => undefined)
    return { result: { tools: offered(app, found) } }
  } catch (error) {
    return failure(unusable(error, hostOf(found)).message)
  }
}

function greeting({ server }: Effective, { protocolVersion: asked }: Record<string, unknown>): object {
  return {
    protocolVersion: typeof asked === 'string' && versions.includes(asked) ? asked : versions[1],
    capabilities: { tools: {} },
    serverInfo: { name: server.name, title: server.display_name, version: '1' },
  }
}

/** The tools that may be called, as people approved them. */
const offered = (app: App, { server }: Effective): object[] =>
  toolStates(app, server.id).flatMap(({ name, state, definition }) =>
    state === 'allowed' && definition ? [{ name, ...definition }] : [],
  )

const hostOf = ({ server }: Effective): { host: string } =>
  server.transport === 'stdio' ? { host: server.name } : new URL(server.endpoint!)

interface Ended {
  outcome: ToolOutcome
  reason: string | null
  answer: Outcome
}

const refused = (reason: string): Ended => ({ outcome: 'refused', reason, answer: failure(reason, -32602) })

async function callTool(
  app: App,
  caller: Caller,
  found: Effective | undefined,
  { server, params }: Pick<Message, 'server' | 'params'>,
): Promise<Outcome> {
  const begun = performance.now()
  const { name: tool, arguments: given } = params
  if (typeof tool !== 'string') return failure('Name a tool', -32602)
  const { outcome, reason, answer } = found
    ? await perform(app, caller, found, tool, given)
    : refused('there is no such server for this agent')
  const durationMs = performance.now() - begun
  const serverId = found?.server.id ?? null
  await recordCall(app, caller, { server, serverId, tool, given, outcome, reason, durationMs })
  return answer
}

async function perform(app: App, caller: Caller, found: Effective, tool: string, given: unknown): Promise<Ended> {
  try {
    let now = toolState(app, found.server.id, tool)
    // People may not have been told of the tool yet: the server is asked what it has when it is connected to.
    if (now === 'unknown') {
      await connected(app, caller, found, async () => undefined)
      now = mayCall(app, caller.agent, found.server.id, tool)
    }
    if (now === 'unknown') return refused('the server has no such tool')
    if (now === 'off') return refused('this tool is switched off')
    if (now === 'held') return refused('this tool has changed: people have to look at it before it may be called')
    return await connected(app, caller, found, (session, timeoutMs, clean) =>
      ask(session, caller, { name: tool, ...(isObject(given) && { arguments: given }) }, timeoutMs, clean),
    )
  } catch (error) {
    const { message, refusal } = unusable(error, hostOf(found))
    return { outcome: refusal ? 'refused' : 'error', reason: message, answer: failure(message) }
  }
}

async function ask(
  { client }: Session,
  { signal }: Caller,
  params: { name: string; arguments?: Record<string, unknown> },
  timeout: number,
  clean: Clean,
): Promise<Ended> {
  const { CallToolResultSchema } = await import('@modelcontextprotocol/sdk/types.js')
  // Not the library's own call, which compiles schemas of the server.
  const request = { method: 'tools/call' as const, params }
  // The library would tell the server that a call is cancelled also when the agent hangs up after the answer.
  const waiting = new AbortController()
  const cancel = () => waiting.abort(signal.reason)
  signal.addEventListener('abort', cancel)
  if (signal.aborted) cancel()
  const asked = client.request(request, CallToolResultSchema, { timeout, signal: waiting.signal })
  const { content, structuredContent, isError } = await asked.finally(() => signal.removeEventListener('abort', cancel))
  const result = clean({ content, ...(structuredContent && { structuredContent }), isError: isError === true })
  return { outcome: isError ? 'failed' : 'ok', reason: null, answer: { result } }
}

/**
 * Does something with the server that an agent means, over a connection that is kept. A server that has forgotten the
 * connection is connected to once more. Throws what makes it unusable, without secrets.
 */
async function connected<T>(
  app: App,
  caller: Caller,
  found: Effective,
  work: (session: Session, timeoutMs: number, clean: Clean) => Promise<T>,
): Promise<T> {
  const sessions = sessionsOf(app)
  return reach(app, caller, found, (way, clean) => {
    const { timeoutMs } = way
    const begin = async ({ client }: Session) => {
      await way.opened()
      await learnTools(app, found.server, client, { timeoutMs, clean })
    }
    const once = () => sessions.use(way, begin, (session) => work(session, timeoutMs, clean))
    return once().catch((error: { code?: unknown }) => {
      if (error.code !== 404 || isRefusal(error)) throw error
      sessions.forget(way)
      return once()
    })
  })
}
