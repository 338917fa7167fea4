import type { ToolCall } from '#contract/frames'
import { cleanLine } from '../output/clean.ts'

/** One use of a tool, from its call to its result. */
export interface ToolUse {
  id: string
  name: string
  /** What it was called with, on one line. */
  brief: string
  input: unknown
  /** Belongs to a sub-agent. */
  nested: boolean
  status: 'running' | 'ok' | 'failed' | 'unfinished'
  startedAt: number
  /** Null when nobody watched from call to result. */
  duration_ms: number | null
}

// The member that says most, by what tools commonly call it.
const telling = [
  'command',
  'file_path',
  'path',
  'notebook_path',
  'pattern',
  'query',
  'url',
  'description',
  'prompt',
  'skill',
]

/** `Bash`, or `server: tool` of a tool server. */
export const toolName = ({ tool_name, mcp_server, mcp_tool }: ToolCall): string =>
  cleanLine(mcp_server && mcp_tool ? `${mcp_server}: ${mcp_tool}` : tool_name)

/** What a tool was called with, on one line: its most telling member, else all of it. */
export function briefOf(input: unknown): string {
  if (typeof input === 'string') return cleanLine(input)
  if (typeof input !== 'object' || input === null) return ''
  const members = input as Record<string, unknown>
  const name = telling.find((it) => typeof members[it] === 'string' && members[it] !== '')
  if (name !== undefined) return cleanLine(members[name] as string)
  return Object.keys(members).length ? cleanLine(JSON.stringify(input)) : ''
}

/** "0.3 s" or "2 min 5 s". */
export function lasted(ms: number): string {
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)} s`
  const seconds = Math.round(ms / 1000)
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`
}
