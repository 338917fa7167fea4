import type { JudgeProvider, JudgeWire } from '#contract/keeper'
import { bearer, type Headers, textsOf } from './provider.ts'

export interface Question {
  model: string
  /** What it is to do. */
  system: string
  /** What it is to do it with. */
  prompt: string
  /** JSON Schema of the answer. */
  schema: object
}

/** How a judge's server is spoken to: one of four interfaces that servers of models have. */
export interface Wire {
  /** Whether this path of an address is its own, so that people may give an address with or without it. */
  tail: RegExp
  /** Where it lists its models. */
  list: string
  /** The names of its models; null for another answer than a list. */
  models(answer: unknown): string[] | null
  ask(question: Question): { path: string; body: object }
  headers(secret: string): Headers
  /** The text of an answer; null when there is none. */
  text(answer: unknown): string | null
}

/** A verdict is short, and the same question is to have the same answer. */
const temperature = 0.1
const mostTokens = 256

const namesOf = (rows: unknown): string[] | null =>
  Array.isArray(rows)
    ? rows.flatMap((row: { id?: unknown; name?: unknown } | null) => {
        const name = row?.id ?? row?.name
        return typeof name === 'string' ? name : []
      })
    : null
const listed = (answer: unknown): string[] | null => namesOf((answer as { data?: unknown } | null)?.data)
const keyed = (secret: string): Headers => (secret ? bearer(secret) : {})
const v1 = /\/v1\/?$/

export const wires: Readonly<Record<JudgeWire, Wire>> = {
  ollama: {
    tail: /\/api\/?$/,
    list: '/api/tags',
    models: (answer) => namesOf((answer as { models?: unknown } | null)?.models),
    ask: ({ model, system, prompt, schema }) => ({
      path: '/api/chat',
      body: {
        model,
        messages: [
          { role: 'system', content: system },
          { role: 'user', content: prompt },
        ],
        stream: false,
        think: false,
        format: schema,
        options: { temperature, num_predict: mostTokens },
      },
    }),
    headers: keyed,
    text: (answer) => {
      const content = (answer as { message?: { content?: unknown } | null } | null)?.message?.content
      return typeof content === 'string' ? content : null
    },
  },
  'openai-chat': {
    tail: v1,
    list: '/v1/models',
    models: listed,
    ask: ({ model, system, prompt, schema }) => ({
      path: '/v1/chat/completions',
      body: {
        model,
        messages: [
          { role: 'system', content: system },
          { role: 'user', content: prompt },
        ],
        temperature,
        max_tokens: mostTokens,
        response_format: { type: 'json_schema', json_schema: { name: 'verdict', strict: true, schema } },
      },
    }),
    headers: keyed,
    text: (answer) => {
      const { choices } = (answer ?? {}) as { choices?: { message?: { content?: unknown } | null }[] }
      const content = Array.isArray(choices) ? choices[0]?.message?.content : null
      return typeof content === 'string' ? content : null
    },
  },
  'openai-responses': {
    tail: v1,
    list: '/v1/models',
    models: listed,
    ask: ({ model, system, prompt, schema }) => ({
      path: '/v1/responses',
      body: {
        model,
        instructions: system,
        input: prompt,
        store: false,
        max_output_tokens: mostTokens,
        text: { format: { type: 'json_schema', name: 'verdict', strict: true, schema } },
      },
    }),
    headers: keyed,
    text: (answer) => {
      const { output } = (answer ?? {}) as { output?: { content?: unknown }[] }
      if (!Array.isArray(output)) return null
      const texts = output.flatMap((part) => textsOf(part?.content) ?? [])
      return texts.length ? texts.join('') : null
    },
  },
  'anthropic-messages': {
    tail: v1,
    list: '/v1/models',
    models: listed,
    ask: ({ model, system, prompt, schema }) => ({
      path: '/v1/messages',
      body: {
        model,
        system: `${system}\nThe answer fits this JSON Schema: ${JSON.stringify(schema)}`,
        messages: [{ role: 'user', content: prompt }],
        temperature,
        max_tokens: mostTokens,
      },
    }),
    headers: (secret) => ({ 'anthropic-version': '2023-06-01', ...(secret && { 'x-api-key': secret }) }),
    text: (answer) => textsOf((answer as { content?: unknown } | null)?.content),
  },
}

/** The interfaces of each kind of judge, the usual one first. */
export const wiresOf: Readonly<Record<JudgeProvider, readonly JudgeWire[]>> = {
  ollama: ['ollama'],
  openai_compat: ['openai-chat', 'openai-responses'],
  anthropic: ['anthropic-messages'],
}

/** Where a server of one's own mostly answers. */
export const usualJudge = 'http://localhost:11434'

/** A vendor that can judge with a key alone: how it is spoken to, and its model that is fast enough. */
export interface Hosted {
  wire: JudgeWire
  model: string
}
