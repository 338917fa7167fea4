import type { Started } from '../adapter.ts'
import { begin } from '../begin.ts'
import { type Json, list, number, object, string } from '../json.ts'
import type { LineReader, Reading } from '../parser.ts'
import { toolResult } from '../tool-result.ts'
import { failureOf } from './failure.ts'

/** Reads the lines of `cursor-agent --print --output-format stream-json`. docs/rules/adapters.md, "Output". */
export function createReader({ mcpServers }: Pick<Started, 'mcpServers'>): LineReader {
  /** What was said since the last call of a tool. */
  let said = ''

  /** A piece is told with its time; a whole message, without it or with the id of its call, repeats the pieces. */
  const speak = (line: Json, reading: Reading) => {
    const text = textOf(line['message'])
    const isPiece = line['timestamp_ms'] !== undefined && line['model_call_id'] === undefined
    const content = !isPiece && text.startsWith(said) ? text.slice(said.length) : text
    if (content) reading.frame({ type: 'text', content })
    said = isPiece ? said + text : ''
    if (isPiece) return
    reading.facts.result_text = text || reading.facts.result_text
    reading.endOfText('')
  }

  const readers: Record<string, LineReader> = {
    system: (line, reading) => {
      if (line['subtype'] === 'init') begun(line, mcpServers, reading)
    },
    assistant: speak,
    thinking: (line, { frame }) => {
      const content = string(line['text'])
      if (content) frame({ type: 'thinking', content, metadata: { streaming: true } })
    },
    tool_call: (line, reading) => {
      said = ''
      tool(line, reading)
    },
    result,
  }
  return (line, reading) => readers[string(line['type'])]?.(line, reading)
}

const textOf = (message: unknown): string =>
  list(object(message)['content'])
    .map((block) => (object(block)['type'] === 'text' ? string(object(block)['text']) : ''))
    .join('')

function begun(line: Json, mcpServers: readonly string[], reading: Reading): void {
  begin(reading, {
    session: string(line['session_id']),
    model: string(line['model']),
    mcpServers,
    api_key_source: string(line['apiKeySource']),
    permission_mode: string(line['permissionMode']),
    cwd: string(line['cwd']),
  })
}

/** A call is an object with one member, which is named after the tool: `shellToolCall`. */
function tool(line: Json, { frame }: Reading): void {
  const [[key, call] = ['', {}]] = Object.entries(object(line['tool_call'])).filter(([name]) => /ToolCall$/.test(name))
  const [name, tool_id] = [key.replace(/ToolCall$/, ''), string(line['call_id'])]
  const { args, result: answer } = object(call)
  if (line['subtype'] === 'started')
    frame({ type: 'tool_call', content: name, metadata: { tool_name: name, tool_id, input: args ?? {} } })
  if (line['subtype'] !== 'completed') return
  const good = object(object(answer)['success'])
  const failed = !('success' in object(answer))
  const exit = good['exitCode']
  const code = typeof exit === 'number' ? exit : undefined
  const content = failed ? JSON.stringify(answer ?? {}) : contentOf(good)
  frame(toolResult(tool_id, content, { failed: failed || (code ?? 0) !== 0, status: '', code }))
}

/** What a tool shows: the output of a command, the text of a file, or all that it answered. */
function contentOf(good: Json): string {
  if ('stdout' in good || 'stderr' in good) return `${string(good['stdout'])}${string(good['stderr'])}`
  return string(good['content']) || JSON.stringify(good)
}

function result(line: Json, { facts, frame }: Reading): void {
  const failed = line['is_error'] === true || string(line['subtype']) !== 'success'
  const told = string(line['result'])
  const usage = object(line['usage'])
  facts.finished = true
  facts.duration_ms = number(line['duration_ms']) || null
  facts.usage = { input_tokens: number(usage['inputTokens']), output_tokens: number(usage['outputTokens']) }
  if (failed) facts.failure ??= failureOf(told || 'The client reported an error without saying which')
  else facts.result_text ??= told || null
  frame({
    type: 'result',
    metadata: {
      subtype: failed ? 'error_during_execution' : 'success',
      ...(facts.duration_ms !== null && { duration_ms: facts.duration_ms }),
      usage: facts.usage,
      model_usage: {},
      is_error: failed,
      session_id: facts.session_id ?? '',
      ...(failed && told && { errors: [told] }),
    },
  })
}
