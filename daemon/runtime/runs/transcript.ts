import type { AgentFrame } from '#contract/frames'

/** A piece of a stored message. Contract part 2, section 5. */
export interface Part {
  type: 'text' | 'thinking' | 'tool_call' | 'tool_result' | 'image' | 'error'
  content?: string
  tool_name?: string
  tool_id?: string
  metadata?: Record<string, unknown>
}

export interface Told {
  parts: Part[]
  /** What the agent itself said, sub-agents left out. */
  content: string
  /** `Bash x3, Write`; null when no tool was used. */
  toolSummary: string | null
}

export interface Transcript {
  add(frame: AgentFrame): void
  /** To be called once, after the last frame. */
  finish(): Told
}

/** Characters kept of one tool's output and of a whole message: the rest was in the stream only. */
const resultLimit = 64 * 1024
const messageLimit = 4 * 1024 * 1024

/** Gathers frames into the message that is stored of a run: a function of the run's output alone. */
export function createTranscript(): Transcript {
  const parts: Part[] = []
  const tools = new Map<string, number>()
  /** Text pieces are joined once, when asked for: appending to a long string for every word is slow. */
  let pieces: string[] = []
  let open: Part | null = null
  let left = messageLimit
  let cutShort = false

  function close(): void {
    if (open) open.content = pieces.join('')
    open = null
    pieces = []
  }

  function keep(text: string, limit: number): { content: string; cut: Record<string, unknown> } {
    const content = text.slice(0, Math.max(0, Math.min(limit, left)))
    left -= content.length
    return { content, cut: content.length < text.length ? { truncated: true, length_chars: text.length } : {} }
  }

  function say(frame: Extract<AgentFrame, { type: 'text' | 'thinking' }>): void {
    const { parent_tool_use_id: speaker, subagent } = frame.metadata ?? {}
    const { content } = keep(frame.content, messageLimit)
    if (content.length < frame.content.length) cutShort = true
    if (!content) return
    if (open?.type !== frame.type || open.metadata?.['parent_tool_use_id'] !== speaker) {
      close()
      open = { type: frame.type, ...(speaker && { metadata: { parent_tool_use_id: speaker, subagent } }) }
      parts.push(open)
    }
    pieces.push(content)
  }

  function put(type: Part['type'], text: string, limit: number, rest: Omit<Part, 'type' | 'content'>): void {
    close()
    const { content, cut } = keep(text, limit)
    const metadata = { ...rest.metadata, ...cut }
    parts.push({
      type,
      content,
      ...rest,
      ...(Object.keys(metadata).length > 0 ? { metadata } : { metadata: undefined }),
    })
  }

  function call({ content, metadata }: Extract<AgentFrame, { type: 'tool_call' }>): void {
    const { tool_name, tool_id, input, ...rest } = metadata
    tools.set(tool_name, (tools.get(tool_name) ?? 0) + 1)
    const text = JSON.stringify(input) ?? 'null'
    const fits = text.length <= Math.min(resultLimit, left)
    left -= fits ? text.length : 0
    put('tool_call', content, resultLimit, {
      tool_name,
      tool_id,
      metadata: { ...rest, ...(fits ? { input } : { truncated: true }) },
    })
  }

  function image({ content, metadata }: Extract<AgentFrame, { type: 'image' }>): void {
    const { data, ...rest } = metadata
    const fits = data !== undefined && data.length <= left / 2
    left -= fits ? data.length : 0
    put('image', content, resultLimit, {
      metadata: { ...rest, ...(fits && { data }), ...(data && !fits && { truncated: true }) },
    })
  }

  return {
    add(frame) {
      if (frame.type === 'text' || frame.type === 'thinking') say(frame)
      else if (frame.type === 'tool_call') call(frame)
      else if (frame.type === 'image') image(frame)
      else if (frame.type === 'error') put('error', frame.content, resultLimit, { metadata: frame.metadata })
      else if (frame.type === 'tool_result') {
        const { tool_id, tool_use_id: _same, ...metadata } = frame.metadata
        put('tool_result', frame.content, resultLimit, { tool_id, metadata })
      }
    },
    finish() {
      close()
      const last = parts.at(-1)
      if (cutShort && last) last.metadata = { ...last.metadata, truncated: true }
      const own = parts.filter(({ type, metadata }) => type === 'text' && !metadata?.['subagent'])
      return {
        parts,
        content: own.map(({ content }) => content).join('\n\n'),
        toolSummary: [...tools].map(([name, count]) => (count > 1 ? `${name} x${count}` : name)).join(', ') || null,
      }
    },
  }
}
