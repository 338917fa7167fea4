import type { Started } from '../adapter.ts'
import { begin } from '../begin.ts'
import { type Json, number, object, string } from '../json.ts'
import { mcpOrigin } from '../mcp.ts'
import type { LineReader, Reading } from '../parser.ts'
import { toolResult } from '../tool-result.ts'
import { turnsByResults } from '../turns.ts'
import { serverName } from './config.ts'
import { failureOf } from './failure.ts'

/** Reads the lines of `droid exec --output-format stream-json`. docs/rules/adapters.md, "Output". */
export function createReader({ mcpServers, model, used }: Started): LineReader {
  /** The last thing told was a text, which the next one must not run into. */
  let speaking = false
  const turns = turnsByResults()

  const readers: Record<string, LineReader> = {
    system: (line, reading) => {
      if (line['subtype'] === 'init') begun(line, model, mcpServers, reading)
    },
    message: (line, reading) => {
      const content = string(line['text'])
      if (line['role'] !== 'assistant' || !content) return
      turns.acts(reading)
      reading.facts.result_text = content
      reading.frame({ type: 'text', content: `${speaking ? '\n\n' : ''}${content}` })
      reading.endOfText('')
      speaking = true
    },
    tool_call: (line, reading) => {
      speaking = false
      turns.acts(reading)
      call(line, mcpServers, reading)
    },
    tool_result: (line, reading) => {
      turns.results()
      answered(line, reading)
    },
    error: (line, { facts }) => {
      const message = string(line['message']) || 'The client reported an error without saying which'
      facts.failure ??= failureOf(message)
    },
    // The client counts the turns of its whole session.
    completion: (line, reading) => completed(line, used === null, reading),
  }
  return (line, reading) => readers[string(line['type'])]?.(line, reading)
}

/** The client tells the name that it was given for the model. */
function begun(line: Json, model: string | null, mcpServers: readonly string[], reading: Reading): void {
  const session = string(line['session_id'])
  begin(reading, { session, model: model ?? '', mcpServers, cwd: string(line['cwd']) })
}

/** What the names of a tool server's tools begin with. */
const prefixOf = (server: string): string => `${serverName(server)}___`

function call(line: Json, mcpServers: readonly string[], { frame }: Reading): void {
  const [name, tool_id] = [string(line['toolName']), string(line['id'])]
  const origin = mcpOrigin(name, mcpServers, prefixOf)
  frame({
    type: 'tool_call',
    content: name,
    metadata: { tool_name: name, tool_id, input: line['parameters'] ?? {}, ...origin },
  })
}

function answered(line: Json, { frame }: Reading): void {
  const content = string(line['value']) || string(object(line['error'])['message'])
  const exit = /\[Process exited with code (\d+)\]$/.exec(content)?.[1]
  const code = exit === undefined ? undefined : Number(exit)
  const failed = line['isError'] === true || (code !== undefined && code !== 0)
  frame(toolResult(string(line['id']), content, { failed, status: '', code }))
}

function completed(line: Json, countsTurns: boolean, { facts, frame }: Reading): void {
  const told = object(line['usage'])
  facts.finished = true
  facts.result_text ??= string(line['finalText']) || null
  facts.duration_ms = number(line['durationMs']) || null
  facts.num_turns = countsTurns ? number(line['numTurns']) || null : null
  facts.usage = {
    input_tokens: number(told['input_tokens']),
    output_tokens: number(told['output_tokens']),
    cache_read_input_tokens: number(told['cache_read_input_tokens']),
    cache_creation_input_tokens: number(told['cache_creation_input_tokens']),
  }
  const { input_tokens, output_tokens, cache_read_input_tokens } = facts.usage
  frame({
    type: 'result',
    metadata: {
      subtype: 'success',
      ...(facts.duration_ms !== null && { duration_ms: facts.duration_ms }),
      ...(facts.num_turns !== null && { num_turns: facts.num_turns }),
      usage: { input_tokens, output_tokens, cache_read_input_tokens },
      model_usage: {},
      is_error: false,
      session_id: facts.session_id ?? '',
    },
  })
}
