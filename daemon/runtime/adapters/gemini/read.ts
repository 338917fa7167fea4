import type { AgentFrame } from '#contract/frames'
import type { Started } from '../adapter.ts'
import { begin } from '../begin.ts'
import { type Json, number, object, string } from '../json.ts'
import { mcpOrigin } from '../mcp.ts'
import type { LineReader, Reading } from '../parser.ts'
import { toolResult } from '../tool-result.ts'
import { complaintOf } from './failure.ts'

/** Reads the lines of `gemini --output-format stream-json`. docs/rules/adapters.md, "Output". */
export function createReader({ mcpServers }: Pick<Started, 'mcpServers'>): LineReader {
  const names = new Map<string, string>()

  const call = (line: Json, { frame }: Reading) => {
    const name = string(line['tool_name'])
    const id = string(line['tool_id'])
    names.set(id, name)
    const metadata = {
      tool_name: name,
      tool_id: id,
      input: line['parameters'] ?? {},
      ...mcpOrigin(name, mcpServers, prefixOf),
    }
    frame({ type: 'tool_call', content: name, metadata })
  }

  const answered = (line: Json, { facts, frame }: Reading) => {
    const id = string(line['tool_id'])
    const error = object(line['error'])
    const failed = line['status'] === 'error'
    const content = string(line['output']) || string(error['message'])
    frame(toolResult(id, content, { failed, status: string(line['status']), code: undefined }))
    if (error['type'] === 'policy_violation')
      facts.permission_denials.push({ tool_name: names.get(id) ?? '', count: 1 })
  }

  const readers: Record<string, LineReader> = {
    init: (line, reading) =>
      begin(reading, { session: string(line['session_id']), model: string(line['model']), mcpServers }),
    message: (line, { frame }) => {
      const content = string(line['content'])
      if (line['role'] === 'assistant' && content) frame({ type: 'text', content })
    },
    tool_use: call,
    tool_result: answered,
    error,
    result,
  }
  return (line, reading) => readers[string(line['type'])]?.(line, reading)
}

/** What the names of a tool server's tools begin with. */
const prefixOf = (server: string): string => `mcp_${server.replace(/[^\w.:-]/g, '_')}_`

function error(line: Json, { facts, frame }: Reading): void {
  const message = string(line['message'])
  if (line['severity'] === 'error') facts.failure ??= complaintOf(message)
  else frame({ type: 'system', content: message, metadata: { subtype: 'warning' } })
}

/** The client counts what came from the cache as input, too, and what was thought in the total alone. */
function result(line: Json, { facts, frame }: Reading): void {
  const stats = object(line['stats'])
  const told = string(object(line['error'])['message'])
  const failed = line['status'] === 'error'
  facts.finished = true
  if (failed) facts.failure ??= complaintOf(told || 'The client reported an error without saying which')
  const input = number(stats['input_tokens'])
  const cached = number(stats['cached'])
  facts.duration_ms = number(stats['duration_ms']) || null
  const spoken = number(stats['output_tokens'])
  const output = Math.max(spoken, number(stats['total_tokens']) - input)
  facts.usage = {
    input_tokens: Math.max(0, input - cached),
    output_tokens: output,
    cache_read_input_tokens: cached,
    reasoning_output_tokens: output - spoken,
  }
  frame({
    type: 'result',
    metadata: {
      subtype: failed ? 'error_during_execution' : 'success',
      ...(facts.duration_ms !== null && { duration_ms: facts.duration_ms }),
      usage: facts.usage,
      model_usage: object(stats['models']),
      is_error: failed,
      session_id: facts.session_id ?? '',
      ...(told && { errors: [told] }),
    },
  } satisfies AgentFrame)
}
