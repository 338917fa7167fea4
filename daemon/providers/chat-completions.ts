import { bearer, type Completion } from './provider.ts'

interface Answer {
  choices?: { message?: { content?: unknown } | null }[]
}

/** The interface for chats that many servers of models have. Without a token none is sent. */
export const chatCompletions = (model: string, limit: 'max_tokens' | 'max_completion_tokens'): Completion => ({
  model,
  request: ({ model, system, prompt, maxTokens }, token) => ({
    path: '/v1/chat/completions',
    headers: token ? bearer(token) : {},
    body: {
      model,
      messages: [
        { role: 'system', content: system },
        { role: 'user', content: prompt },
      ],
      [limit]: maxTokens,
    },
  }),
  text(answer) {
    const { choices } = (answer ?? {}) as Answer
    const content = Array.isArray(choices) ? choices[0]?.message?.content : null
    return typeof content === 'string' ? content : null
  },
})
