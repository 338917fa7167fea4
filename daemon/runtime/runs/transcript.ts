import type { AgentFrame } from '#contract/frames'
import { beginning, ending, keepParts, type Part } from './kept-parts.ts'

export type { Part } from './kept-parts.ts'

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
  const kept = keepParts(messageLimit)
  const tools = new Map<string, number>()

  function say({ type, content, metadata }: Extract<AgentFrame, { type: 'text' | 'thinking' }>): void {
    if (!content) return
    const { parent_tool_use_id, subagent } = metadata ?? {}
    kept.say({ type, ...(parent_tool_use_id && { metadata: { parent_tool_use_id, subagent } }) }, content)
  }

  function put(type: Part['type'], text: string, rest: Omit<Part, 'type' | 'content'>, weight = 0): void {
    const { content, cut } = headAndTail(text)
    const metadata = { ...rest.metadata, ...cut }
    kept.put({ type, ...rest, metadata: Object.keys(metadata).length > 0 ? metadata : undefined }, content, weight)
  }

  function call({ content, metadata }: Extract<AgentFrame, { type: 'tool_call' }>): void {
    const { tool_name, tool_id, input, ...rest } = metadata
    tools.set(tool_name, (tools.get(tool_name) ?? 0) + 1)
    const size = (JSON.stringify(input) ?? 'null').length
    const fits = size <= resultLimit
    put(
      'tool_call',
      content,
      { tool_name, tool_id, metadata: { ...rest, ...(fits ? { input } : { truncated: true }) } },
      fits ? size : 0,
    )
  }

  /** Whole or not at all: half a picture is none. */
  function image({ content, metadata }: Extract<AgentFrame, { type: 'image' }>): void {
    const fits = content.length <= messageLimit / 2
    kept.put({ type: 'image', metadata: { ...metadata, ...(!fits && { truncated: true }) } }, fits ? content : '')
  }

  return {
    add(frame) {
      if (frame.type === 'text' || frame.type === 'thinking') say(frame)
      else if (frame.type === 'tool_call') call(frame)
      else if (frame.type === 'image') image(frame)
      else if (frame.type === 'error') put('error', frame.content, { metadata: frame.metadata })
      else if (frame.type === 'system' && frame.metadata.subtype === 'line_too_long')
        put('text', `[${frame.content}]`, { metadata: frame.metadata })
      else if (frame.type === 'tool_result') {
        const { tool_id, tool_use_id: _same, ...metadata } = frame.metadata
        put('tool_result', frame.content, { tool_id, metadata })
      }
    },
    finish() {
      const parts = kept.finish()
      const own = parts.filter(({ type, metadata }) => type === 'text' && !metadata?.['subagent'])
      return {
        parts,
        content: own.map(({ content }) => content).join('\n\n'),
        toolSummary: [...tools].map(([name, count]) => (count > 1 ? `${name} x${count}` : name)).join(', ') || null,
      }
    },
  }
}

/** The beginning and the end of one tool's output, where errors stand. */
function headAndTail(text: string): { content: string; cut: Record<string, unknown> } {
  if (text.length <= resultLimit) return { content: text, cut: {} }
  const half = resultLimit / 2
  const leftOut = `\n[${text.length - resultLimit} characters were left out here]\n`
  return {
    content: `${beginning(text, half)}${leftOut}${ending(text, half)}`,
    cut: { truncated: true, length_chars: text.length },
  }
}
