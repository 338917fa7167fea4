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

interface Part {
  text?: string
  functionCall?: { name: string; args?: unknown }
  functionResponse?: { name: string; response?: unknown }
}

export interface GeminiBody {
  contents: { role?: string; parts: Part[] }[]
  systemInstruction?: { parts: Part[] }
  tools?: { functionDeclarations?: { name: string }[] }[]
}

/** Google's words for a status; a key that is not valid is a bad request to it, and never a 401. */
const vendorErrors: Record<number, readonly [status: string, message: string, code?: number]> = {
  401: ['INVALID_ARGUMENT', 'API key not valid. Please pass a valid API key.', 400],
  403: ['PERMISSION_DENIED', 'Your API key was reported as leaked. Please use another API key.'],
  404: ['NOT_FOUND', 'models/gemini-9 is not found for API version v1beta, or is not supported for generateContent.'],
  429: ['RESOURCE_EXHAUSTED', 'You exceeded your current quota, please check your plan and billing details.'],
  500: ['INTERNAL', 'An internal error has occurred. Please retry or report it.'],
  503: ['UNAVAILABLE', 'The model is overloaded. Please try again later.'],
}

const keyInfo = {
  '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
  reason: 'API_KEY_INVALID',
  domain: 'googleapis.com',
  metadata: { service: 'generativelanguage.googleapis.com' },
}

/** Of a quota that is used up for the day. */
const quota = {
  '@type': 'type.googleapis.com/google.rpc.QuotaFailure',
  violations: [
    {
      quotaMetric: 'generativelanguage.googleapis.com/generate_content_free_tier_requests',
      quotaId: 'GenerateRequestsPerDayPerProjectPerModel-FreeTier',
      quotaValue: '250',
    },
  ],
}

const details: Record<number, object[]> = { 401: [keyInfo], 429: [quota] }

function errorOf({ status: asked, type, message }: Refusal) {
  const [usualStatus, usualMessage, code = asked] = vendorErrors[asked] ?? vendorErrors[500]!
  const more = details[asked] ? { details: details[asked] } : {}
  return { error: { code, message: message ?? usualMessage, status: type ?? usualStatus, ...more } }
}

function refuse(reply: ServerResponse, refusal: Refusal): ServerResponse {
  const body = errorOf(refusal)
  return json(reply, body.error.code, body)
}

/** The parts of an answer, one for each piece of its text and each call of a tool. */
function partsOf(turn: Exclude<ScriptedTurn, { status: number }>): (Part & { thought?: true })[] {
  const said = 'hangs' in turn || 'breaks' in turn ? { text: turn.text } : turn
  return [
    ...(said.thinking ? [{ text: said.thinking, thought: true as const }] : []),
    ...[said.text ?? []].flat().map((text) => ({ text })),
    ...(said.tools ?? []).map(({ name, input }) => ({ functionCall: { name, args: input } })),
  ]
}

async function answer(turn: ScriptedTurn, _: GeminiBody, count: number, reply: ServerResponse): Promise<unknown> {
  if ('status' in turn) return refuse(reply, turn)
  const { input = 12, output = 7 } = ('usage' in turn && turn.usage) || {}
  const usageMetadata = { promptTokenCount: input, candidatesTokenCount: output, totalTokenCount: input + output }
  const about = { usageMetadata, modelVersion: 'gemini-2.5-flash', responseId: `resp_${count}` }
  const candidate = (parts: Part[], end: object = {}) => ({ content: { parts, role: 'model' }, index: 0, ...end })
  const parts = partsOf(turn)
  if (!reply.req.url?.includes(':streamGenerateContent'))
    return json(reply, 200, { candidates: [candidate(parts, { finishReason: 'STOP' })], ...about })

  const send = (chunk: object) => reply.write(`data: ${JSON.stringify(chunk)}\r\n\r\n`)
  reply.writeHead(200, { 'content-type': 'text/event-stream' })
  for (const part of parts) {
    send({ candidates: [candidate([part])], ...about })
    if ('gapMs' in turn && turn.gapMs) await pause(turn.gapMs, reply)
  }
  if ('hangs' in turn) return
  if ('breaks' in turn) send(errorOf({ status: 503, ...turn.breaks }))
  else send({ candidates: [candidate([{ text: '' }], { finishReason: 'STOP' })], ...about })
  return reply.end()
}

const geminiWire: Wire<GeminiBody> = {
  path: /^\/v1beta\/models\/[^/:]+:(?:streamG|g)enerateContent$/,
  answer,
  aside: ({ method, path }, reply) =>
    method === 'POST' && path.endsWith(':countTokens')
      ? json(reply, 200, { totalTokens: 12 })
      : refuse(reply, { status: 404, message: `${method} ${path} was not found.` }),
  refuse,
}

/**
 * A local stand-in for a vendor's cloud that speaks Google's generateContent protocol. With `keys`, any other key is
 * refused.
 */
export const geminiEndpoint = (
  script: Script<GeminiBody>,
  options: { host?: string; keys?: string[] } = {},
): Promise<ModelEndpoint<GeminiBody>> => endpointOf(geminiWire, script, options)
