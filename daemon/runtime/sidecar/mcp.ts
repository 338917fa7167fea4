import type { IncomingMessage, ServerResponse } from 'node:http'
import { agentTools } from './agent-tools.ts'
import { type Daemon, type Handed, waitingNotes } from './notes.ts'
import { say } from './say.ts'

/**
 * The tools of agents for clients that speak the Model Context Protocol: JSON-RPC over its streamable HTTP, without
 * sessions. modelcontextprotocol.io/specification/2025-06-18.
 */
export const mcpRoute = '/mcp'

const versions = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05']
/** Keep-alive interval: clients and proxies give up on a silent connection. */
const keepAliveMs = 15_000

interface Message {
  id: string | number
  method: string
  params: Record<string, unknown>
}
type Outcome = { result: object } | { error: { code: number; message: string } }

const failure = (code: number, message: string): Outcome => ({ error: { code, message } })
const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Answers one message of a client. What a tool results in also says what waits to be told to the agent. */
export async function answerMcp(
  request: IncomingMessage,
  response: ServerResponse,
  body: unknown,
  daemon: Daemon,
): Promise<void> {
  if (!isObject(body) || body['jsonrpc'] !== '2.0')
    return reply(response, null, failure(-32600, 'Send one JSON-RPC 2.0 message'))
  const { id, method, params } = body
  // Notifications, and responses, although this server sends no requests.
  if ((typeof id !== 'string' && typeof id !== 'number') || typeof method !== 'string')
    return void response.writeHead(202).end()
  const message: Message = { id, method, params: isObject(params) ? params : {} }
  if (method !== 'tools/call') return reply(response, id, answerAtOnce(message))
  const streamed = String(request.headers.accept ?? '').includes('text/event-stream')
  const stop = streamed ? beginStream(response, message) : () => undefined
  const { outcome, notes } = await callTool(message, daemon).finally(stop)
  if (response.destroyed) return
  if (notes) response.once('finish', notes.taken)
  if (streamed) response.end(event({ jsonrpc: '2.0', id, ...outcome }))
  else reply(response, id, outcome)
}

const reply = (response: ServerResponse, id: string | number | null, outcome: Outcome): void =>
  say(response, 200, { jsonrpc: '2.0', id, ...outcome })

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
