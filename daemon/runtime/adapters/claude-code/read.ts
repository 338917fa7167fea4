import type { AgentFrame, Origin } from '#contract/frames'
import type { Started } from '../adapter.ts'
import { type Json, list, number, object, string } from '../json.ts'
import type { LineReader, Reading } from '../parser.ts'
import { toolResult } from '../tool-result.ts'
import { complaintOf, resultFailure } from './failure.ts'

/** Reads the lines of `claude --output-format stream-json`. docs/rules/adapters.md, "Output". */
export function createReader({ mcpServers }: Pick<Started, 'mcpServers'>): LineReader {
  /** Messages whose text or thinking already went out piece by piece, as `id:type`. */
  const streamed = new Set<string>()
  /** The message that each speaker is in the middle of. */
  const current = new Map<string, string>()
  const spent = new Map<string, Counts>()
  const total = { ...nothing }

  const count = (id: string, usage: Json, { facts }: Reading) => {
    const before = spent.get(id) ?? nothing
    const now = { ...before }
    for (const name of countNames) {
      now[name] = number(usage[name]) || before[name]
      total[name] += now[name] - before[name]
    }
    spent.set(id, now)
    const { cache_read_input_tokens, cache_creation_input_tokens } = total
    facts.usage = {
      input_tokens: total.input_tokens,
      output_tokens: total.output_tokens,
      ...(cache_read_input_tokens > 0 && { cache_read_input_tokens }),
      ...(cache_creation_input_tokens > 0 && { cache_creation_input_tokens }),
    }
  }

  const event = (line: Json, reading: Reading) => {
    const inner = object(line['event'])
    const delta = object(inner['delta'])
    const speaker = string(line['parent_tool_use_id'])
    if (inner['type'] === 'message_start') {
      const message = object(inner['message'])
      current.set(speaker, string(message['id']))
      if (!speaker) reading.facts.complaint = null
      count(string(message['id']), object(message['usage']), reading)
    }
    const id = current.get(speaker) ?? ''
    if (inner['type'] === 'message_delta') count(id, object(inner['usage']), reading)
    if (inner['type'] === 'content_block_stop') reading.endOfText(speaker)
    if (inner['type'] !== 'content_block_delta') return
    if (delta['type'] === 'text_delta' && string(delta['text'])) {
      streamed.add(`${id}:text`)
      reading.frame(said(string(delta['text']), line))
    }
    if (delta['type'] === 'thinking_delta' && string(delta['thinking'])) {
      streamed.add(`${id}:thinking`)
      reading.frame(thought(string(delta['thinking']), true, line))
    }
  }

  const assistant = (line: Json, reading: Reading) => {
    const message = object(line['message'])
    const id = string(message['id'])
    const speaker = string(line['parent_tool_use_id'])
    const blocks = blocksOf(message['content'])
    // The client reports refusals of the model service as words of the agent.
    if (string(line['error'])) {
      if (!speaker)
        reading.facts.complaint = complaintOf({
          error: string(line['error']),
          text: blocks.map((block) => string(block['text'])).join('\n'),
        })
      return
    }
    if (!speaker) reading.facts.complaint = null
    if (!current.has(speaker)) count(id, object(message['usage']), reading)
    for (const block of blocks) {
      const type = string(block['type'])
      if (type === 'text' && string(block['text']) && !streamed.has(`${id}:text`))
        reading.frame(said(string(block['text']), line))
      if (type === 'thinking' && string(block['thinking']) && !streamed.has(`${id}:thinking`))
        reading.frame(thought(string(block['thinking']), false, line))
      if (type.endsWith('tool_use')) reading.frame(toolCall(block, line))
      if (type.endsWith('tool_result')) reading.frame(resultOf(block, line))
      if (type === 'image') reading.frame(image(block, line))
    }
  }

  const user = (line: Json, reading: Reading) => {
    for (const block of blocksOf(object(line['message'])['content'])) {
      if (string(block['type']).endsWith('tool_result')) reading.frame(resultOf(block, line))
    }
  }

  const system = (line: Json, reading: Reading) => {
    if (line['subtype'] === 'init') init(line, mcpServers, reading)
    if (line['subtype'] === 'api_retry') retry(line, reading)
  }

  const readers: Record<string, LineReader> = { stream_event: event, assistant, user, tool: user, system, result }
  return (line, reading) => readers[string(line['type'])]?.(line, reading)
}

type Counts = Required<Omit<Reading['facts']['usage'], 'reasoning_output_tokens'>>

const nothing: Counts = {
  input_tokens: 0,
  output_tokens: 0,
  cache_read_input_tokens: 0,
  cache_creation_input_tokens: 0,
}
const countNames = Object.keys(nothing) as (keyof Counts)[]

/** Content is a list of blocks, or the text of the only one. */
const blocksOf = (content: unknown): Json[] =>
  typeof content === 'string' ? [{ type: 'text', text: content }] : list(content).map(object)

function origin(line: Json): Origin {
  const id = string(line['parent_tool_use_id'])
  return id ? { parent_tool_use_id: id, subagent: true } : {}
}

function said(content: string, line: Json): AgentFrame {
  const from = origin(line)
  return from.subagent ? { type: 'text', content, metadata: from } : { type: 'text', content }
}

const thought = (content: string, streaming: boolean, line: Json): AgentFrame => ({
  type: 'thinking',
  content,
  metadata: { streaming, ...origin(line) },
})

function toolCall(block: Json, line: Json): AgentFrame {
  const name = string(block['name'])
  const [, server, tool] = /^mcp__(.+?)__(.+)$/s.exec(name) ?? []
  const mcp = server && tool ? { transport: 'mcp' as const, mcp_server: server, mcp_tool: tool } : {}
  return {
    type: 'tool_call',
    content: name,
    metadata: {
      tool_name: name,
      tool_id: string(block['id']),
      input: block['input'] ?? {},
      ...mcp,
      ...origin(line),
    },
  }
}

function resultOf(block: Json, line: Json): AgentFrame {
  const content = outputOf(block['content'])
  const details = object(line['tool_use_result'])
  const failed = block['is_error'] === true
  const code = failed ? /^Exit code (\d+)/.exec(content)?.[1] : undefined
  const status = details['interrupted'] === true ? 'interrupted' : string(details['status'])
  const told = { failed, status, code: code === undefined ? undefined : Number(code) }
  return toolResult(string(block['tool_use_id']), content, told, origin(line))
}

/** A tool's output as text, whatever shape it has. */
function outputOf(content: unknown): string {
  if (typeof content === 'object' && content !== null) {
    const blocks = Array.isArray(content) ? content : [content]
    return blocks.map(outputBlock).join('\n')
  }
  return string(content)
}

function outputBlock(block: unknown): string {
  const { type, text } = object(block)
  if (typeof block !== 'object') return string(block)
  if (typeof text === 'string') return text
  return type === 'image' ? '[image]' : JSON.stringify(block)
}

function image(block: Json, line: Json): AgentFrame {
  const source = object(block['source'])
  const media_type = string(source['media_type']) || 'application/octet-stream'
  const url = string(source['url'])
  return {
    type: 'image',
    content: string(source['data']),
    metadata: { media_type, ...(url && { url }), ...origin(line) },
  }
}

function init(line: Json, mcpServers: readonly string[], { facts, frame }: Reading): void {
  const reported = list(line['mcp_servers']).map(object)
  const failed = reported.filter((server) => !['connected', ''].includes(string(server['status'])))
  const names = new Set(reported.map((server) => string(server['name'])))
  facts.session_id = string(line['session_id']) || facts.session_id
  facts.init = {
    model: string(line['model']),
    cli_version: string(line['claude_code_version']),
    api_key_source: string(line['apiKeySource']),
    permission_mode: string(line['permissionMode']),
    cwd: string(line['cwd']),
    tool_count: list(line['tools']).length,
    skill_count: list(line['skills']).length,
    mcp_server_count: reported.length,
    mcp_server_errors: [
      ...failed.map((server) => ({ name: string(server['name']), type: string(server['status']) })),
      // The client leaves out without a word what it cannot read.
      ...mcpServers.filter((name) => !names.has(name)).map((name) => ({ name, type: 'skipped' })),
    ],
  }
  frame({
    type: 'system',
    metadata: {
      subtype: 'init',
      model: string(line['model']),
      session_id: string(line['session_id']),
      tools: texts(line['tools']),
      ...shownOfInit(line, reported),
      ...(facts.init.mcp_server_errors.length > 0 && { mcp_server_errors: facts.init.mcp_server_errors }),
    },
  })
}

const texts = (value: unknown): string[] => list(value).filter((it) => typeof it === 'string')

/** What else clients show of a start, as far as it is told. */
function shownOfInit(line: Json, servers: Json[]): Json {
  const said = ['claude_code_version', 'apiKeySource', 'permissionMode', 'cwd']
    .map((name) => [name, string(line[name])] as const)
    .filter(([, value]) => value !== '')
  const skills = texts(line['skills'])
  const mcp_servers = servers.map(({ name, status }) => ({ name: string(name), status: string(status) }))
  return {
    ...Object.fromEntries(said),
    ...(skills.length > 0 && { skills }),
    ...(mcp_servers.length > 0 && { mcp_servers }),
  }
}

function retry(line: Json, reading: Reading): void {
  const status = number(line['error_status'])
  const error = string(line['error'])
  const attempt = number(line['attempt'])
  const answer = status ? `answered ${status}${error && error !== 'unknown' ? ` (${error})` : ''}` : 'did not answer'
  const text = `The model service ${answer}`
  const complaint = complaintOf({ error, status, text })
  reading.facts.complaint = complaint
  reading.frame({
    type: 'system',
    content: `${text}; retry ${attempt} of ${number(line['max_retries'])}`,
    metadata: {
      subtype: 'api_retry',
      attempt,
      max_retries: number(line['max_retries']),
      error_status: status || null,
      error,
    },
  })
  // The client would retry a refused key with growing delays.
  if (complaint.kind === 'bad_key' && attempt >= 2) reading.abort(complaint)
}

function result(line: Json, { facts, frame }: Reading): void {
  const usage = object(line['usage'])
  const errors = texts(line['errors'])
  const denials = new Map<string, number>()
  for (const denial of list(line['permission_denials'])) {
    const name = string(object(denial)['tool_name'])
    denials.set(name, (denials.get(name) ?? 0) + 1)
  }
  facts.finished = true
  facts.failure ??= resultFailure(line, facts.complaint)
  facts.session_id = string(line['session_id']) || facts.session_id
  facts.permission_denials = [...denials].map(([tool_name, count]) => ({ tool_name, count }))
  facts.total_cost_usd = typeof line['total_cost_usd'] === 'number' ? line['total_cost_usd'] : null
  facts.duration_ms = number(line['duration_ms'])
  facts.num_turns = number(line['num_turns'])
  facts.result_text = typeof line['result'] === 'string' ? line['result'] : null
  if (number(usage['input_tokens']) + number(usage['output_tokens']) > 0) {
    facts.usage = {
      input_tokens: number(usage['input_tokens']),
      output_tokens: number(usage['output_tokens']),
      cache_read_input_tokens: number(usage['cache_read_input_tokens']),
      cache_creation_input_tokens: number(usage['cache_creation_input_tokens']),
    }
  }
  frame({
    type: 'result',
    metadata: {
      subtype: string(line['subtype']),
      duration_ms: number(line['duration_ms']),
      num_turns: number(line['num_turns']),
      ...(facts.total_cost_usd !== null && { total_cost_usd: facts.total_cost_usd }),
      usage: {
        input_tokens: facts.usage.input_tokens,
        output_tokens: facts.usage.output_tokens,
        ...('cache_read_input_tokens' in usage && {
          cache_read_input_tokens: number(usage['cache_read_input_tokens']),
        }),
      },
      model_usage: object(line['modelUsage']),
      is_error: line['is_error'] === true,
      session_id: string(line['session_id']),
      ...(errors.length > 0 && { errors }),
    },
  })
}
