import type { ServerResponse } from 'node:http'
import {
  endpointOf,
  json,
  type ModelEndpoint,
  pause,
  type Refusal,
  type Script,
  type ScriptedTurn,
  type Wire,
} from './model-endpoint.ts'

export interface ResponsesBody {
  model: string
  instructions?: string
  input: { type: string; role?: string; content?: { text?: string }[]; output?: unknown; call_id?: string }[]
  tools?: { type: string; name?: string }[]
}

const vendorErrors: Record<number, readonly [type: string, code: string | null, message: string]> = {
  401: [
    'invalid_request_error',
    'invalid_api_key',
    'Incorrect API key provided: sk-*. You can find your API key online.',
  ],
  404: [
    'invalid_request_error',
    'model_not_found',
    'The model `gpt-9` does not exist or you do not have access to it.',
  ],
  429: ['insufficient_quota', 'insufficient_quota', 'You exceeded your current quota, please check your plan.'],
  500: ['server_error', null, 'The server had an error while processing your request.'],
  503: ['server_error', null, 'The engine is currently overloaded, please try again later'],
}

function refuse(reply: ServerResponse, { status, type, message, retryAfter }: Refusal): ServerResponse {
  const [usualType, code, usualMessage] = vendorErrors[status] ?? vendorErrors[500]!
  const error = { message: message ?? usualMessage, type: type ?? usualType, param: null, code }
  return json(reply, status, { error }, retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) })
}

/** The items of an answer: its text, then its calls of tools, whose names may begin with a namespace and a dot. */
function itemsOf(turn: Exclude<ScriptedTurn, { status: number }>, id: string) {
  const text = [turn.text ?? []].flat().join('')
  const content = [{ type: 'output_text', text, annotations: [] }]
  const tools = 'tools' in turn ? (turn.tools ?? []) : []
  return [
    ...(text ? [{ type: 'message', id: `msg_${id}`, status: 'completed', role: 'assistant', content }] : []),
    ...tools.map(({ name, input }, n) => ({
      type: 'function_call',
      id: `fc_${id}_${n}`,
      call_id: `call_${id}_${n}`,
      name: name.split('.').at(-1),
      ...(name.includes('.') && { namespace: name.split('.')[0] }),
      arguments: JSON.stringify(input),
      status: 'completed',
    })),
  ]
}

async function answer(turn: ScriptedTurn, body: ResponsesBody, count: number, reply: ServerResponse): Promise<unknown> {
  if ('status' in turn) return refuse(reply, turn)
  const id = String(count).padStart(4, '0')
  const output = itemsOf(turn, id)
  const { input = 12, output: out = 7 } = ('usage' in turn && turn.usage) || {}
  const usage = {
    input_tokens: input,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens: out,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: input + out,
  }
  const response = { id: `resp_${id}`, object: 'response', created_at: 1_767_225_600, model: body.model }
  let sequence_number = 0
  const send = (event: { type: string; [member: string]: unknown }) =>
    reply.write(`event: ${event.type}\ndata: ${JSON.stringify({ ...event, sequence_number: sequence_number++ })}\n\n`)
  reply.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache' })
  send({ type: 'response.created', response: { ...response, status: 'in_progress', output: [] } })
  for (const [output_index, item] of output.entries()) {
    send({ type: 'response.output_item.added', output_index, item: { ...item, status: 'in_progress' } })
    if (item.type === 'message')
      for (const delta of [turn.text ?? []].flat()) {
        send({ type: 'response.output_text.delta', item_id: item.id, output_index, content_index: 0, delta })
        if ('gapMs' in turn && turn.gapMs) await pause(turn.gapMs, reply)
      }
    send({ type: 'response.output_item.done', output_index, item })
  }
  if ('hangs' in turn) return
  if ('breaks' in turn) {
    const { type: code, message } = turn.breaks
    send({ type: 'response.failed', response: { ...response, status: 'failed', error: { code, message } } })
  } else send({ type: 'response.completed', response: { ...response, status: 'completed', output, usage } })
  return reply.end()
}

const responsesWire: Wire<ResponsesBody> = {
  path: '/v1/responses',
  answer,
  aside: ({ method, path }, reply) =>
    method === 'GET' && path === '/v1/models'
      ? json(reply, 200, { object: 'list', data: [{ id: 'gpt-5', object: 'model', created: 0, owned_by: 'test' }] })
      : refuse(reply, { status: 404, message: `Invalid URL (${method} ${path})` }),
  refuse,
}

/**
 * A local stand-in for a vendor's cloud that speaks the OpenAI Responses protocol. With `keys`, any other key is
 * refused with 401.
 */
export const responsesEndpoint = (
  script: Script<ResponsesBody>,
  options: { host?: string; keys?: string[] } = {},
): Promise<ModelEndpoint<ResponsesBody>> => endpointOf(responsesWire, script, options)
