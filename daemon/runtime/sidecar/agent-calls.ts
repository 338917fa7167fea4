import { Buffer } from 'node:buffer'
import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { outOfBounds } from '../../kernel/http/json-bounds.ts'
import type { SidecarAnswer, SidecarListener } from '../types.ts'
import { whoCalls } from './admission.ts'
import { agentReads, agentRoutes } from './agent-tools.ts'
import type { Compiled } from './config.ts'
import type { Ask } from './control.ts'
import { answerHold, isHold } from './held.ts'
import { answerMcp, mcpRoute, ownTools, serverBehind, serverPath } from './mcp.ts'
import { answerHook, hookRoute } from './notes.ts'
import { createPauses } from './pauses.ts'
import { say } from './say.ts'
import type { Slots } from './slots.ts'

export { agentRoutes }

/** What the sidecar answers itself, for the clients of agents. */
const ownRoutes = [mcpRoute, hookRoute]

const bodyLimit = 64 * 1024
/** What an agent gives a tool of another server may be a file. */
const serverBodyLimit = 1024 * 1024

/** Answers calls while the daemon is starting. */
export const nobodyAnswers: SidecarListener = async () => ({
  status: 503,
  body: { error: 'Muster is starting. Try again in a moment.' },
})

interface Parts {
  config(): Compiled | null
  ask: Ask
  slots: Slots
  /** Monotonic milliseconds. */
  now?: () => number
}

/** Forwards agents' calls to the daemon. The sidecar identifies the agent; the daemon decides. */
export function createAgentCalls({ config, ask, slots, now = () => performance.now() }: Parts): {
  answer(request: IncomingMessage, response: ServerResponse, uid: number | null): boolean
} {
  const pauses = createPauses(now)

  async function serve(
    request: IncomingMessage,
    response: ServerResponse,
    route: string,
    uid: number | null,
  ): Promise<void> {
    const agent = whoCalls(request, config(), uid)
    if ('status' in agent) return refuse(request, response, agent.status, agent.message)
    const named = readOf(request)
    if (request.method !== 'POST' && !named) return refuse(request, response, 405, `Use POST ${route}.`)
    // Not by uid: agents without a container of their own share one.
    const free = slots.take(agent.agentId)
    if (!free) return refuse(request, response, 429, 'Too many of your calls are still unanswered.')
    response.once('close', free)
    const run = request.headers['x-svc-run-id']
    const runId = typeof run === 'string' ? run.slice(0, 64) : null
    const sent = (to: string, what: unknown) =>
      ask({ id: randomUUID(), agentId: agent.agentId, runId, route: to, body: what })
    const call = async (to: string, what: unknown): Promise<SidecarAnswer> => {
      const early = pauses.answer(agent.agentId, to)
      if (early) return early
      const { answer, hangUp } = sent(to, what)
      response.once('close', hangUp)
      const answered = await answer
      response.off('close', hangUp)
      return pauses.heed(agent.agentId, to, answered)
    }
    const daemon = { call, tell: (...it: Parameters<typeof sent>) => void sent(...it) }
    if (route === hookRoute && !isHold(request)) return answerHook(request, response, daemon)
    if (route === hookRoute) return answerHold(response, await read(request, serverBodyLimit), daemon)
    const server = serverPath.exec(route)?.[1]
    const body = named ? { value: named.body } : await read(request, server ? serverBodyLimit : bodyLimit)
    if ('refused' in body) return refuse(request, response, ...body.refused)
    if (server) return answerMcp(request, response, body.value, serverBehind(daemon, server))
    if (route === mcpRoute) return answerMcp(request, response, body.value, ownTools(daemon))
    const { status, body: said } = await call(route, body.value)
    if (response.destroyed) return
    const wait = status === 429 && (said as { retry_after?: unknown } | null)?.retry_after
    if (typeof wait === 'number') response.setHeader('retry-after', wait)
    say(response, status, said)
  }

  return {
    answer(request, response, uid) {
      const route = readOf(request)?.route ?? request.url!.split('?', 1)[0]!
      if (!ownRoutes.includes(route) && !agentRoutes.includes(route) && !serverPath.test(route)) return false
      serve(request, response, route, uid).catch(() => response.destroy())
      return true
    },
  }
}

/** What a program reads by `GET route/VALUE`, as the call that answers it; null for other addresses. */
function readOf({ method, url }: IncomingMessage): { route: string; body: Record<string, string> } | null {
  const path = method === 'GET' ? url!.split('?', 1)[0]! : ''
  const [, route = '', value = ''] = /^(\/[^/]+)\/([\w-]{1,64})$/.exec(path) ?? []
  const member = Object.hasOwn(agentReads, route) ? agentReads[route] : undefined
  return member === undefined ? null : { route, body: { [member]: value } }
}

type Read = { value: unknown } | { refused: [status: number, message: string] }

/** Reads a JSON body; an empty one is `{}`. Bytes past the limit are discarded, so that the client can be answered. */
const read = (request: IncomingMessage, limit: number): Promise<Read> =>
  new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let size = 0
    request.on('data', (chunk: Buffer) => {
      size += chunk.length
      if (size <= limit) chunks.push(chunk)
      else resolve({ refused: [413, `The body may have at most ${limit} bytes.`] })
    })
    request.on('end', () => resolve(parse(Buffer.concat(chunks).toString('utf8'))))
    request.on('error', reject)
  })

function parse(text: string): Read {
  try {
    const value: unknown = text ? JSON.parse(text) : {}
    const flaw = outOfBounds(value)
    return flaw ? { refused: [400, `The body cannot be taken: ${flaw}.`] } : { value }
  } catch {
    return { refused: [400, 'The body must be JSON.'] }
  }
}

/**
 * What is left unread of a body cannot stay on the connection. Without a body the connection is kept: clients of tool
 * servers ask without a key first, and some take a connection that is being closed for their next call.
 */
function refuse(request: IncomingMessage, response: ServerResponse, status: number, error: string): void {
  const { 'transfer-encoding': encoding, 'content-length': length = '0' } = request.headers
  if (encoding !== undefined || length !== '0') response.setHeader('connection', 'close')
  say(response, status, { error })
}
