/** A stored message of the chat, as far as the agent is reminded of it. */
export interface Remembered {
  role: 'user' | 'assistant' | 'system' | 'tool'
  content: string
  tool_summary?: string | null
  /** Who wrote it, where several people do. */
  author?: string | null
}

/** Payload of `conversation.compacted`, but for the session's id. */
export interface Overflow {
  /** Messages that the agent does not get whole. */
  overflow_messages: number
  summarized: boolean
  summary_bytes: number
}

export interface Prompt {
  text: string
  /** Null when the whole history went along. */
  overflow: Overflow | null
}

/** Tokens of system prompt, history and message together, and the history's share of what the other two leave. */
const promptBudget = 32_000
const historyShare = 0.6
/** A message is shortened only if at least this much of it remains. */
const worthShortening = 200

/** A cautious guess that needs no vocabulary: four bytes to a token. */
export const estimateTokens = (text: string): number => Math.ceil(Buffer.byteLength(text) / 4)

/**
 * Puts what was said before in front of a message: the newest first, as far as the budget goes, the last of them
 * shortened in its middle if need be. `history` is in order of time and does not hold the message itself.
 */
export function composePrompt({
  history,
  message,
  systemPrompt,
}: {
  history: readonly Remembered[]
  message: string
  systemPrompt: string
}): Prompt {
  const told = history.map(textOf).filter(({ text }) => text !== '')
  let left = Math.floor((promptBudget - estimateTokens(systemPrompt) - estimateTokens(message)) * historyShare)
  const kept: string[] = []
  let whole = 0
  for (const { who, text } of told.toReversed()) {
    const turn = render(who, text)
    const cost = estimateTokens(turn)
    if (cost <= left) {
      kept.unshift(turn)
      whole++
      left -= cost
      continue
    }
    const room = left - estimateTokens(render(who, gap(text.length)))
    if (room >= worthShortening) kept.unshift(render(who, shorten(text, room * 4)))
    break
  }
  const overflow =
    whole < told.length ? { overflow_messages: told.length - whole, summarized: false, summary_bytes: 0 } : null
  if (kept.length === 0) return { text: message, overflow }
  const dropped = told.length - kept.length
  const head = dropped > 0 ? [`(${dropped} earlier ${dropped === 1 ? 'message is' : 'messages are'} left out.)`] : []
  const text = ['<conversation_so_far>', ...head, ...kept, '</conversation_so_far>', '', message].join('\n')
  return { text, overflow }
}

const names = { user: 'user', assistant: 'you', system: 'note', tool: 'tool' }

function textOf({ role, content, tool_summary, author }: Remembered): { who: string; text: string } {
  const who = role === 'user' && author ? `user, ${author}` : names[role]
  return { who, text: [tool_summary ? `(${tool_summary})` : '', content].filter(Boolean).join('\n').trim() }
}

/** Escapes text so that it cannot close the frame around it. */
const render = (who: string, text: string) => `[${who}]\n${text.replace(/<(\/?)(?=conversation_so_far>)/g, '‹$1')}`

const gap = (characters: number) => `\n[... ${characters} characters left out ...]\n`

/** Keeps the beginning and the end, and no more than `bytes` of both together. */
function shorten(text: string, bytes: number): string {
  const half = Math.floor(bytes / 2)
  const buffer = Buffer.from(text)
  const head = buffer.subarray(0, half).toString('utf8').replace(/�$/, '')
  const tail = buffer
    .subarray(buffer.length - half)
    .toString('utf8')
    .replace(/^�+/, '')
  return `${head}${gap(text.length - head.length - tail.length)}${tail}`
}
