import type { Detail } from '../inbox/decisions.ts'
import { renderMarkdown } from '../markdown/render.ts'
import { displayable, indented, type Row, span, wrap } from '../markdown/rows.ts'
import type { Said } from './stored.ts'
import { briefOf, type ToolUse } from './tools.ts'
import { type Commit, toolRows } from './turn-view.ts'

type Part = NonNullable<Said['parts']>[number]

export const userRows = (text: string, width: number): Row[] =>
  indented(wrap([span(displayable(text.trim()), 'bold')], width - 2), [span('› ', 'cyan')], [span('  ')])

export interface Telling {
  width: number
  thinking: boolean
  /** Long messages of people are cut. */
  brief: boolean
  commit: Commit
}

/** Lines of a long message that are shown where it is cut. */
const briefLines = 10

/** Shows a message as it is stored, the way that it looked when it was said. */
export function tellMessage(message: Said, { width, thinking, brief, commit }: Telling): void {
  if (message.role === 'user') {
    const lines = message.content.trim().split('\n')
    const rows = userRows((brief ? lines.slice(0, briefLines) : lines).join('\n'), width)
    const left = brief ? lines.length - briefLines : 0
    return void commit('note', left > 0 ? [...rows, [span(`  … ${left} more lines: /history`, 'dim')]] : rows)
  }
  const parts: Part[] = message.parts ?? [{ type: 'text', content: message.content }]
  for (const part of parts) tellPart(part, parts, { width, thinking, commit })
  if (message.metadata?.['status'] === 'CANCELLED') commit('note', [[span('Cancelled.', 'dim')]])
}

function tellPart(
  part: Part,
  parts: readonly Part[],
  { width, thinking, commit }: { width: number; thinking: boolean; commit: Commit },
): void {
  const { type, content = '', metadata } = part
  if (type === 'text' && !metadata?.['subagent']) commit('text', renderMarkdown(content, width))
  else if (type === 'thinking' && thinking)
    commit('thinking', wrap([{ text: displayable(content).trim(), tones: ['dim', 'italic'] }], width))
  else if (type === 'tool_call') {
    const result = parts.find((it) => it.type === 'tool_result' && it.tool_id === part.tool_id)
    commit('tool', toolRows(toolOf(part, result), result?.content ?? '', width))
  } else if (type === 'error') commit('note', wrap([span('✗ ', 'red'), span(displayable(content))], width))
  else if (type === 'image') commit('note', [[span('[image]', 'dim')]])
}

/** What the agent asks people: its title, and what it says about it. */
export const questionRows = ({ title, body_md = '' }: Detail, width: number): Row[] => [
  ...indented(wrap([span(displayable(title), 'bold')], width - 2), [span('? ', 'yellow')], [span('  ')]),
  ...(body_md.trim() && !title.endsWith(body_md.trim()) ? [[], ...renderMarkdown(body_md, width)] : []),
]

function toolOf({ tool_id, tool_name, content, metadata }: Part, result: Part | undefined): ToolUse {
  const failed = result?.metadata?.['is_error'] === true
  return {
    id: tool_id ?? '',
    name: displayable(tool_name ?? content ?? 'tool'),
    brief: briefOf(metadata?.['input']),
    input: metadata?.['input'],
    nested: metadata?.['subagent'] === true,
    status: failed ? 'failed' : result ? 'ok' : 'unfinished',
    startedAt: Number.NaN,
    duration_ms: null,
  }
}
