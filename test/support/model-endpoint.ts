import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** One call of a tool that the scripted model asks for. */
export interface ScriptedTool {
  name: string
  input: Record<string, unknown>
}

/** What the scripted model answers to one request. */
export type ScriptedTurn =
  /** Speaks, one delta for each piece of `text`; with `tools` it stops to have them run. */
  | {
      text?: string | string[]
      thinking?: string
      tools?: ScriptedTool[]
      gapMs?: number
      /** What the n-th piece of text, from 0, waits for. */
      pace?: (n: number) => Promise<void> | undefined
      usage?: { input: number; output: number }
    }
  /** Refuses before the stream starts, with the vendor's body for that status. */
  | { status: number; type?: string; message?: string; retryAfter?: number }
  /** Speaks, then breaks the stream with an error event. */
  | { text?: string | string[]; breaks: { type: string; message: string } }
  /** Speaks, then keeps the stream open with pings until the client goes away. */
  | { text?: string | string[]; hangs: true }

export interface MessagesBody {
  model: string
  stream?: boolean
  system?: string | { type: string; text: string }[]
  messages: { role: string; content: string | ContentBlock[] }[]
  tools?: { name: string }[]
}

export interface ContentBlock {
  type: string
  text?: string
  name?: string
  id?: string
  input?: unknown
  tool_use_id?: string
  content?: unknown
  is_error?: boolean
}

export interface RecordedRequest<B = MessagesBody> {
  method: string
  path: string
  headers: Record<string, string | string[] | undefined>
  /** The API key or bearer token that came with it. */
  key: string | null
  body: B | null
  /** True once the client went away before the answer was complete. */
  aborted: boolean
}

/** A list answers request after request, its last turn again and again; a function decides by itself. */
export type Script<B = MessagesBody> =
  | ScriptedTurn[]
  | ((body: B, index: number, request: RecordedRequest<B>) => ScriptedTurn | Promise<ScriptedTurn>)

/** A vendor's protocol. */
export interface Wire<B> {
  /** Where it is asked for a message. */
  path: string | RegExp
  answer(turn: ScriptedTurn, body: B, count: number, reply: ServerResponse): unknown
  /** Answers what is no request for a message. */
  aside(request: RecordedRequest<B>, reply: ServerResponse): unknown
  refuse(reply: ServerResponse, refusal: Refusal): unknown
}

export interface Refusal {
  status: number
  type?: string
  message?: string
  retryAfter?: number
}

export interface ModelEndpoint<B = MessagesBody> {
  url: string
  /** Every request, whatever its path. */
  requests: RecordedRequest<B>[]
  /** Bodies of the requests for a message, in order. */
  messages: B[]
  /** Resolves when `ready` holds after some request or abort. */
  until(ready: () => boolean): Promise<void>
  close(): Promise<void>
}

const vendorErrors: Record<number, readonly [type: string, message: string]> = {
  400: ['invalid_request_error', 'messages: at least one message is required'],
  401: ['authentication_error', 'invalid x-api-key'],
  402: [
    'billing_error',
    'Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing to upgrade or ' +
      'purchase credits.',
  ],
  403: ['permission_error', 'Your API key does not have permission to use the specified resource.'],
  404: ['not_found_error', 'model: no-such-model'],
  413: ['request_too_large', 'Request exceeds the maximum size'],
  429: ['rate_limit_error', "This request would exceed your account's rate limit. Please try again later."],
  500: ['api_error', 'Internal server error'],
  529: ['overloaded_error', 'Overloaded'],
}

const model = {
  type: 'model',
  id: 'scripted-model',
  display_name: 'Scripted model',
  created_at: '2026-01-01T00:00:00Z',
}

interface Options {
  host?: string
  port?: number
  keys?: string[]
}

/**
 * A local stand-in for a vendor's cloud that speaks the Anthropic Messages protocol (server-sent events and plain
 * JSON). With `keys`, any other key is refused with 401.
 */
export const modelEndpoint = (script: Script, options: Options = {}): Promise<ModelEndpoint> =>
  endpointOf(messagesWire, script, options)

/** A local stand-in for a vendor's cloud: answers by script and remembers what it was asked. */
export async function endpointOf<B>(
  wire: Wire<B>,
  script: Script<B>,
  options: Options = {},
): Promise<ModelEndpoint<B>> {
  const requests: RecordedRequest<B>[] = []
  const messages: B[] = []
  const isMessage = (request: RecordedRequest<B>): request is RecordedRequest<B> & { body: B } =>
    request.method === 'POST' && isAt(wire.path, request.path) && request.body !== null
  const waiting = new Set<() => void>()
  const changed = () => {
    for (const check of waiting) check()
  }

  const server = createServer((request, reply) => {
    const respond = async () => {
      const recorded = record<B>(request, await read(request))
      reply.on('close', () => {
        recorded.aborted = !reply.writableFinished
        changed()
      })
      requests.push(recorded)
      const refused = options.keys && recorded.method !== 'HEAD' && !options.keys.includes(recorded.key ?? '')
      if (isMessage(recorded) && !refused) messages.push(recorded.body)
      changed()
      if (refused) return wire.refuse(reply, { status: 401 })
      if (!isMessage(recorded)) return wire.aside(recorded, reply)
      const count = messages.length
      const turn =
        typeof script === 'function'
          ? await script(recorded.body, count - 1, recorded)
          : script[Math.min(count, script.length) - 1]
      if (!turn) return wire.refuse(reply, { status: 500, message: 'The script is empty' })
      return wire.answer(turn, recorded.body, count, reply)
    }
    respond().catch((error: Error) =>
      reply.headersSent ? reply.destroy() : wire.refuse(reply, { status: 500, message: error.message }),
    )
  })
  await listen(server, options)
  const { address, port } = server.address() as AddressInfo
  return {
    url: `http://${address}:${port}`,
    requests,
    messages,
    until: (ready) =>
      new Promise((resolve) => {
        const check = () => {
          if (!ready()) return
          waiting.delete(check)
          resolve()
        }
        waiting.add(check)
        check()
      }),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

const isAt = (place: string | RegExp, path: string) => (typeof place === 'string' ? path === place : place.test(path))

const listen = (server: Server, { host = '127.0.0.1', port = 0 }: { host?: string; port?: number }) =>
  new Promise<void>((resolve, reject) => server.once('error', reject).listen(port, host, resolve))

async function read(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString('utf8')
}

function record<B>({ method = 'GET', url = '/', headers }: IncomingMessage, text: string): RecordedRequest<B> {
  const bearer = headers.authorization?.replace(/^Bearer /i, '')
  let body: B | null = null
  try {
    body = text ? (JSON.parse(text) as B) : null
  } catch {
    body = null
  }
  return {
    method,
    path: url.split('?')[0]!,
    headers,
    key: (headers['x-api-key'] ?? headers['x-goog-api-key'])?.toString() ?? bearer ?? null,
    body,
    aborted: false,
  }
}

function answerAside({ method, path }: RecordedRequest, reply: ServerResponse): ServerResponse {
  if (method === 'HEAD') return reply.writeHead(200).end()
  if (method === 'POST' && path === '/v1/messages/count_tokens') return json(reply, 200, { input_tokens: 12 })
  if (method === 'GET' && path === '/v1/models')
    return json(reply, 200, { data: [model], has_more: false, first_id: model.id, last_id: model.id })
  return refuse(reply, { status: path === '/v1/messages' ? 400 : 404, message: `${method} ${path}` })
}

export function json(
  reply: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): ServerResponse {
  return reply
    .writeHead(status, { 'content-type': 'application/json', 'request-id': 'req_scripted', ...headers })
    .end(JSON.stringify(body))
}

function refuse(reply: ServerResponse, { status, type, message, retryAfter }: Refusal): ServerResponse {
  const [usualType, usualMessage] = vendorErrors[status] ?? vendorErrors[500]!
  const error = { type: type ?? usualType, message: message ?? usualMessage }
  return json(
    reply,
    status,
    { type: 'error', error, request_id: 'req_scripted' },
    retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) },
  )
}

async function answer(turn: ScriptedTurn, body: MessagesBody, count: number, reply: ServerResponse): Promise<unknown> {
  if ('status' in turn) return refuse(reply, turn)
  const id = String(count).padStart(4, '0')
  const pieces = typeof turn.text === 'string' ? [turn.text] : (turn.text ?? [])
  const said = 'hangs' in turn || 'breaks' in turn ? { text: turn.text } : turn
  const content: ContentBlock[] = pieces.length > 0 ? [{ type: 'text', text: pieces.join('') }] : []
  for (const [n, tool] of (said.tools ?? []).entries())
    content.push({ type: 'tool_use', id: `toolu_${id}_${n}`, name: tool.name, input: tool.input })
  const message = { id: `msg_${id}`, type: 'message', role: 'assistant', model: body.model, stop_sequence: null }
  const usage = {
    input_tokens: said.usage?.input ?? 12,
    output_tokens: said.usage?.output ?? 7,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: 0,
  }
  const stop_reason = said.tools?.length ? 'tool_use' : 'end_turn'
  if (!body.stream) return json(reply, 200, { ...message, content, stop_reason, usage })

  const send = (event: { type: string; [member: string]: unknown }) =>
    reply.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
  reply.writeHead(200, {
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-cache',
    'request-id': 'req_scripted',
  })
  send({
    type: 'message_start',
    message: { ...message, content: [], stop_reason: null, usage: { ...usage, output_tokens: 1 } },
  })
  send({ type: 'ping' })
  const blocks = [...(said.thinking ? [{ type: 'thinking', text: said.thinking }] : []), ...content]
  for (const [index, block] of blocks.entries()) {
    send({ type: 'content_block_start', index, content_block: opening(block) })
    for (const [n, delta] of deltas(block, pieces).entries()) {
      if (block.type === 'text') await said.pace?.(n)
      send({ type: 'content_block_delta', index, delta })
      if (said.gapMs) await pause(said.gapMs, reply)
    }
    if ('hangs' in turn) return keepOpen(reply, send)
    send({ type: 'content_block_stop', index })
  }
  if ('hangs' in turn) return keepOpen(reply, send)
  if ('breaks' in turn) send({ type: 'error', error: turn.breaks })
  else {
    send({
      type: 'message_delta',
      delta: { stop_reason, stop_sequence: null },
      usage: { output_tokens: usage.output_tokens },
    })
    send({ type: 'message_stop' })
  }
  reply.end()
}

function opening(block: ContentBlock): unknown {
  if (block.type === 'thinking') return { type: 'thinking', thinking: '', signature: '' }
  return block.type === 'text' ? { type: 'text', text: '' } : { ...block, input: {} }
}

function deltas(block: ContentBlock, pieces: string[]): unknown[] {
  if (block.type === 'text') return pieces.map((text) => ({ type: 'text_delta', text }))
  if (block.type === 'thinking') {
    return [
      { type: 'thinking_delta', thinking: block.text },
      { type: 'signature_delta', signature: 'c2NyaXB0ZWQ=' },
    ]
  }
  const input = JSON.stringify(block.input)
  const half = Math.ceil(input.length / 2)
  return ['', input.slice(0, half), input.slice(half)].map((partial_json) => ({
    type: 'input_json_delta',
    partial_json,
  }))
}

/** Waits between two deltas, or until the client is gone. */
export const pause = (ms: number, reply: ServerResponse) =>
  new Promise<void>((resolve) => {
    const timer = setTimeout(done, ms)
    function done() {
      clearTimeout(timer)
      reply.off('close', done)
      resolve()
    }
    reply.on('close', done)
  })

function keepOpen(reply: ServerResponse, send: (event: { type: string }) => void): void {
  const timer = setInterval(() => send({ type: 'ping' }), 1000)
  reply.on('close', () => clearInterval(timer))
}

const messagesWire: Wire<MessagesBody> = { path: '/v1/messages', answer, aside: answerAside, refuse }
