import type { AgentFrame, Usage } from '#contract/frames'
import type { Started } from '../adapter.ts'
import { begin } from '../begin.ts'
import { type Json, list, number, object, string } from '../json.ts'
import type { LineReader, Reading } from '../parser.ts'
import { toolResult } from '../tool-result.ts'
import { turnsByResults } from '../turns.ts'
import { complaintOf } from './failure.ts'

/** Times that the client tries in vain to reach the service before its run is ended: it would try for ever. */
const patience = 8

/** Reads the lines of `codex exec --json`. docs/rules/adapters.md, "Output". */
export function createReader({ mcpServers, model, used }: Started): LineReader {
  let retries = 0
  /** What the client last complained of, which it repeats word for word at each try. */
  let told = ''
  let complaint = complaintOf(told)
  const called = new Set<string>()
  /** The last thing told was a message, which the next one must not run into. */
  let speaking = false
  const turns = turnsByResults()

  const call = (item: Json, name: string, input: unknown, more: object, reading: Reading) => {
    const tool_id = string(item['id'])
    if (called.has(tool_id)) return
    called.add(tool_id)
    turns.acts(reading)
    reading.frame({ type: 'tool_call', content: name, metadata: { tool_name: name, tool_id, input, ...more } })
  }

  const ended = (item: Json, content: string, reading: Reading) => {
    turns.results()
    reading.frame(result(item, content))
  }

  const items: Record<string, (item: Json, over: boolean, reading: Reading) => void> = {
    agent_message: (item, over, reading) => {
      if (!over || !string(item['text'])) return
      turns.acts(reading)
      reading.facts.result_text = string(item['text'])
      reading.frame({ type: 'text', content: `${speaking ? '\n\n' : ''}${string(item['text'])}` })
      reading.endOfText('')
      speaking = true
    },
    reasoning: (item, over, { frame }) => {
      if (over && string(item['text']))
        frame({ type: 'thinking', content: string(item['text']), metadata: { streaming: false } })
    },
    command_execution: (item, over, reading) => {
      call(item, 'shell', { command: string(item['command']) }, {}, reading)
      if (over) ended(item, string(item['aggregated_output']), reading)
    },
    file_change: (item, over, reading) => {
      call(item, 'file_edit', { changes: list(item['changes']) }, {}, reading)
      if (over) ended(item, changed(item), reading)
    },
    mcp_tool_call: (item, over, reading) => {
      const [server, tool] = [string(item['server']), string(item['tool'])]
      const more = { transport: 'mcp' as const, mcp_server: server, mcp_tool: tool }
      call(item, `${server}.${tool}`, item['arguments'] ?? {}, more, reading)
      if (over) ended(item, answered(item), reading)
    },
    web_search: (item, over, reading) => {
      if (over) call(item, 'web_search', { query: string(item['query']) }, {}, reading)
    },
    todo_list: (item, _, { frame }) =>
      frame({ type: 'system', metadata: { subtype: 'todo_list', items: list(item['items']) } }),
    error: (item, _, { frame }) =>
      frame({ type: 'system', content: string(item['message']), metadata: { subtype: 'warning' } }),
  }
  const item = (over: boolean) => (line: Json, reading: Reading) => {
    const told = object(line['item'])
    if (told['type'] !== 'agent_message') speaking = false
    items[string(told['type'])]?.(told, over, reading)
  }

  const error = (line: Json, reading: Reading) => {
    const message = string(line['message'])
    const again = /^Reconnecting\.\.\. (?:(\d+)\/(\d+) )?(?:waiting for network )?\((.*)\)$/s.exec(message)
    const text = again?.[3] ?? message
    if (text !== told) {
      told = text
      complaint = complaintOf(text)
    }
    reading.facts.complaint = complaint
    if (!again) return
    retries++
    reading.frame({
      type: 'system',
      content: message,
      metadata: {
        subtype: 'api_retry',
        attempt: Number(again[1] ?? retries),
        ...(again[2] && { max_retries: Number(again[2]) }),
      },
    })
    // The client would retry a refused key with growing delays, and a lost network without end.
    if ((complaint.kind === 'bad_key' && retries >= 2) || retries >= patience) reading.abort(complaint)
  }

  const readers: Record<string, LineReader> = {
    'thread.started': (line, reading) =>
      begin(reading, { session: string(line['thread_id']), model: model ?? '', mcpServers }),
    'item.started': item(false),
    'item.completed': item(true),
    error,
    'turn.completed': (line, reading) => completed(line, used, reading),
    'turn.failed': failed,
  }
  return (line, reading) => readers[string(line['type'])]?.(line, reading)
}

function result(item: Json, content: string): AgentFrame {
  const status = string(item['status'])
  const code = typeof item['exit_code'] === 'number' ? item['exit_code'] : undefined
  const failed = status === 'failed' || status === 'declined' || (code !== undefined && code !== 0)
  return toolResult(string(item['id']), content, { failed, status, code })
}

const changed = (item: Json): string =>
  list(item['changes'])
    .map(object)
    .map(({ path, kind }) => `${string(kind)} ${string(path)}`)
    .join('\n')

/** What a tool server answered, as text. */
function answered(item: Json): string {
  const refusal = string(object(item['error'])['message'])
  if (refusal) return refusal
  return list(object(item['result'])['content'])
    .map(object)
    .map((block) => (typeof block['text'] === 'string' ? block['text'] : JSON.stringify(block)))
    .join('\n')
}

const since = (all: number, before = 0) => Math.max(0, all - before)

/** The client counts what the whole session used, and what came from its cache as input, too. */
function completed(line: Json, used: Usage | null, reading: Reading): void {
  const told = object(line['usage'])
  const cached = number(told['cached_input_tokens'])
  reading.facts.finished = true
  reading.facts.complaint = null
  reading.facts.num_turns = 1
  reading.facts.usage = {
    input_tokens: since(number(told['input_tokens']) - cached, used?.input_tokens),
    output_tokens: since(number(told['output_tokens']), used?.output_tokens),
    cache_read_input_tokens: since(cached, used?.cache_read_input_tokens),
    reasoning_output_tokens: since(number(told['reasoning_output_tokens']), used?.reasoning_output_tokens),
  }
  reading.frame(end('success', reading))
}

function failed(line: Json, reading: Reading): void {
  const message = string(object(line['error'])['message'])
  const complaint = complaintOf(message)
  reading.facts.finished = true
  reading.facts.failure ??= complaint.kind === 'internal' ? (reading.facts.complaint ?? complaint) : complaint
  reading.frame(end('error_during_execution', reading, [message]))
}

const end = (subtype: string, { facts }: Reading, errors?: string[]): AgentFrame => ({
  type: 'result',
  metadata: {
    subtype,
    usage: facts.usage,
    model_usage: {},
    is_error: errors !== undefined,
    session_id: facts.session_id ?? '',
    ...(errors && { errors }),
  },
})
