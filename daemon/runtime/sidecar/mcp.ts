import type { IncomingMessage, ServerResponse } from 'node:http'
import { agentTools } from './agent-tools.ts'
import { type Daemon, type Handed, waitingNotes } from './notes.ts'
import { gatewayRoute } from './own-routes.ts'
import { say } from './say.ts'

/**
 * Tool servers for the clients of agents that speak the Model Context Protocol: JSON-RPC over its streamable HTTP,
 * without sessions. modelcontextprotocol.io/specification/2025-06-18.
 */
export const mcpRoute = '/mcp'

const versions = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05']
/** Keep-alive interval: clients and proxies give up on a silent connection. */
const keepAliveMs = 15_000

/** The path of each of the agent's other servers, and its name. */
export const serverPath = /^\/mcp\/([A-Za-z0-9][A-Za-z0-9_-]{0,63})$/

/** What answers the messages of one tool server. */
export interface ToolServer {
  /** How long an answer may take before a stream is begun for it. */
  patienceMs: number
  /** The answer to what takes no time; null for all else. */
  atOnce(message: Message): Outcome | null
  ask(message: Message): Promise<Called>
}

interface Message {
  id: string | number
  method: string
  params: Record<string, unknown>
}
type Outcome = { result: object } | { error: { code: number; message: string } }

const failure = (code: number, message: string): Outcome => ({ error: { code, message } })
const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Answers one message of a client. */
export async function answerMcp(
  request: IncomingMessage,
  response: ServerResponse,
  body: unknown,
  server: ToolServer,
): Promise<void> {
  if (!isObject(body) || body['jsonrpc'] !== '2.0')
    return reply(response, null, failure(-32600, 'Send one JSON-RPC 2.0 message'))
  const { id, method, params } = body
  // Notifications, and responses, although this server sends no requests.
  if (typeof method === 'string' ? id === undefined : 'result' in body || 'error' in body)
    return void response.writeHead(202).end()
  // An id that is none, or that JSON reads as another number, could not be answered: its client would wait.
  if (typeof method !== 'string' || !(typeof id === 'string' || Number.isSafeInteger(id)))
    return reply(response, null, failure(-32600, 'A request has a method, and a text or a whole number as id'))
  const message: Message = { id: id as Message['id'], method, params: isObject(params) ? params : {} }
  const early = server.atOnce(message)
  if (early) return reply(response, message.id, early)
  const streamed = String(request.headers.accept ?? '').includes('text/event-stream')
  const stop = streamed ? streamAfter(server.patienceMs, response, message) : () => undefined
  const { outcome, notes } = await server.ask(message).finally(stop)
  if (response.destroyed) return
  if (notes) response.once('finish', notes.taken)
  if (response.headersSent) response.end(event({ jsonrpc: '2.0', id, ...outcome }))
  else reply(response, message.id, outcome)
}

const reply = (response: ServerResponse, id: string | number | null, outcome: Outcome): void =>
  say(response, 200, { jsonrpc: '2.0', id, ...outcome })

/** Muster's own tools. What one of them results in also says what waits to be told to the agent. */
export const ownTools = (daemon: Daemon): ToolServer => ({
  patienceMs: 0,
  atOnce: (message) => (message.method === 'tools/call' ? null : answerAtOnce(message)),
  ask: (message) => callTool(message, daemon),
})

/** A server of people's choice, which the daemon calls in the place of the agent. */
export const serverBehind = (daemon: Daemon, server: string): ToolServer => ({
  // Most answers are quicker, and clients read them whole with less work than from a stream.
  patienceMs: 250,
  atOnce: ({ method }) => (method === 'ping' ? { result: {} } : null),
  async ask({ method, params }) {
    const { status, body } = await daemon.call(gatewayRoute, { server, method, params })
    if (status === 200) return { outcome: body as Outcome }
    const { detail, error } = (body ?? {}) as { detail?: string; error?: string }
    return { outcome: failure(-32000, detail ?? error ?? 'The call failed') }
  },
})

function answerAtOnce({ method, params }: Message): Outcome {
  if (method === 'ping') return { result: {} }
  if (method === 'tools/list') return { result: { tools: agentTools.map(({ route: _, ...tool }) => tool) } }
  if (method !== 'initialize') return failure(-32601, `There is no method ${method}`)
  const asked = params['protocolVersion']
  return {
    result: {
      protocolVersion: typeof asked === 'string' && versions.includes(asked) ? asked : versions[1],
      capabilities: { tools: {} },
      serverInfo: { name: 'muster', title: 'Muster', version: '1' },
    },
  }
}

/** What a tool call came to, and the notes that go with it. */
interface Called {
  outcome: Outcome
  notes?: Handed | null
}

async function callTool({ params }: Message, daemon: Daemon): Promise<Called> {
  const asked = params['name']
  if (typeof asked !== 'string') return { outcome: failure(-32602, 'Name a tool') }
  const tool = agentTools.find(({ name }) => name === asked)
  if (!tool) return { outcome: failure(-32602, `There is no tool ${asked.slice(0, 100)}`) }
  const { status, body } = await daemon.call(tool.route, params['arguments'] ?? {})
  const notes = status < 400 ? await waitingNotes(daemon) : null
  const texts = [JSON.stringify(body), ...(notes ? [notes.text] : [])]
  const content = texts.map((text) => ({ type: 'text', text }))
  return { outcome: { result: { content, isError: status >= 400 } }, notes }
}

const event = (message: object): string => `event: message\ndata: ${JSON.stringify(message)}\n\n`

/** Begins a stream unless it is stopped within that time. */
function streamAfter(ms: number, response: ServerResponse, message: Message): () => void {
  if (ms === 0) return beginStream(response, message)
  let stop = () => clearTimeout(timer)
  const timer = setTimeout(() => {
    if (!response.destroyed) stop = beginStream(response, message)
  }, ms)
  return () => stop()
}

/** Sends the head at once and keep-alives regularly, since people take minutes to answer. */
function beginStream(response: ServerResponse, { params }: Message): () => void {
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' })
  response.flushHeaders()
  const token = isObject(params['_meta']) ? params['_meta']['progressToken'] : undefined
  let progress = 0
  const timer = setInterval(() => {
    const notice = {
      jsonrpc: '2.0',
      method: 'notifications/progress',
      params: { progressToken: token, progress: ++progress },
    }
    response.write(token === undefined ? ': waiting\n\n' : event(notice))
  }, keepAliveMs)
  return () => clearInterval(timer)
}
