import type { Usage } from '#contract/frames'
import type { Started } from '../adapter.ts'
import { begin } from '../begin.ts'
import { type Json, number, object, string } from '../json.ts'
import { mcpOrigin } from '../mcp.ts'
import type { LineReader, Reading } from '../parser.ts'
import { toolResult } from '../tool-result.ts'
import { prefixOf } from './config.ts'
import { failureOf } from './failure.ts'

/** Reads the lines of `opencode run --format json`. docs/rules/adapters.md, "Output". */
export function createReader({ mcpServers, model }: Started): LineReader {
  const said = new Map<string, string>()
  const called = new Set<string>()
  /** The last thing told was a text, which the next one must not run into. */
  let speaking = false

  /** A part's text grows from event to event. */
  const news = (part: Json): string => {
    const [id, text] = [string(part['id']), string(part['text'])]
    const before = said.get(id) ?? ''
    said.set(id, text)
    return text.startsWith(before) ? text.slice(before.length) : text
  }

  const readers: Record<string, (part: Json, reading: Reading, line: Json) => void> = {
    step_start: (_, { facts, turn }) => {
      facts.finished = false
      turn()
    },
    text: (part, reading) => {
      const begun = said.has(string(part['id']))
      const content = news(part)
      if (!content) return
      reading.facts.result_text = string(part['text'])
      reading.frame({ type: 'text', content: `${speaking && !begun ? '\n\n' : ''}${content}` })
      reading.endOfText('')
      speaking = true
    },
    reasoning: (part, { frame }) => {
      const content = news(part)
      if (content) frame({ type: 'thinking', content, metadata: { streaming: false } })
    },
    tool_use: (part, reading) => {
      speaking = false
      tool(part, called, mcpServers, reading)
    },
    step_finish: finished,
    error: (_, reading, line) => failed(line['error'], reading),
  }
  return (line, reading) => {
    // No event of the client tells of the start; the first one that names the session stands for it.
    const session = string(line['sessionID'])
    if (session && !reading.facts.init) begin(reading, { session, model: model ?? '', mcpServers })
    readers[string(line['type'])]?.(object(line['part']), reading, line)
  }
}

function tool(part: Json, called: Set<string>, servers: readonly string[], { frame }: Reading): void {
  const [name, tool_id, state] = [string(part['tool']), string(part['callID']), object(part['state'])]
  if (!called.has(tool_id)) {
    called.add(tool_id)
    const metadata = { tool_name: name, tool_id, input: state['input'] ?? {}, ...mcpOrigin(name, servers, prefixOf) }
    frame({ type: 'tool_call', content: name, metadata })
  }
  const status = string(state['status'])
  if (status !== 'completed' && status !== 'error') return
  const exit = object(state['metadata'])['exit']
  const code = typeof exit === 'number' ? exit : undefined
  const failed = status === 'error' || (code !== undefined && code !== 0)
  frame(toolResult(tool_id, string(state[status === 'error' ? 'error' : 'output']), { failed, status, code }))
}

/** Counts a step; the client ends after one that asks for no more tools, without saying so. */
function finished(part: Json, reading: Reading): void {
  const { facts } = reading
  const [tokens, before] = [object(part['tokens']), facts.usage]
  const cache = object(tokens['cache'])
  facts.num_turns = (facts.num_turns ?? 0) + 1
  facts.usage = {
    input_tokens: before.input_tokens + number(tokens['input']),
    output_tokens: before.output_tokens + number(tokens['output']) + number(tokens['reasoning']),
    cache_read_input_tokens: (before.cache_read_input_tokens ?? 0) + number(cache['read']),
    reasoning_output_tokens: (before.reasoning_output_tokens ?? 0) + number(tokens['reasoning']),
    cache_creation_input_tokens: (before.cache_creation_input_tokens ?? 0) + number(cache['write']),
  }
  // The client counts nothing for a model whose price it does not know.
  const cost = (facts.total_cost_usd ?? 0) + number(part['cost'])
  facts.total_cost_usd = cost > 0 ? cost : null
  if (['tool-calls', 'unknown'].includes(string(part['reason']))) return
  facts.finished = true
  result('success', reading)
}

function failed(error: unknown, reading: Reading): void {
  const failure = failureOf(error)
  reading.facts.finished = true
  reading.facts.failure ??= failure
  result('error_during_execution', reading, [failure.reason])
}

const result = (subtype: string, { facts, frame }: Reading, errors?: string[]): void =>
  frame({
    type: 'result',
    metadata: {
      subtype,
      ...(facts.num_turns !== null && { num_turns: facts.num_turns }),
      ...(facts.total_cost_usd !== null && { total_cost_usd: facts.total_cost_usd }),
      usage: shown(facts.usage),
      model_usage: {},
      is_error: errors !== undefined,
      session_id: facts.session_id ?? '',
      ...(errors && { errors }),
    },
  })

const shown = ({
  input_tokens,
  output_tokens,
  cache_read_input_tokens = 0,
  reasoning_output_tokens = 0,
}: Usage): Usage => ({
  input_tokens,
  output_tokens,
  cache_read_input_tokens,
  reasoning_output_tokens,
})
