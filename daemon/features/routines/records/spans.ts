import type { Static } from 'typebox'
import type { MessagePart } from '#contract/chats'
import { type SubSpan, spanTextLimit } from '#contract/routines'
import type { App } from '#kernel/app'
import { mayRead } from '../../runs/chains/service.ts'
import { sourceOf } from '../../runs/messages/service.ts'
import { findRun } from '../../runs/service.ts'
import type { StepRow } from '../engine/queries.ts'

type Span = Static<typeof SubSpan>
type Part = Static<typeof MessagePart> & { ts: string }

/** Most spans of a step, and characters of what a span says. */
const [mostSpans, detailLimit] = [200, 300]

/** What agents did in a run's steps, as far as this person may read it; of `ioStep` with what tools took and gave. */
export function spansOf(
  app: App,
  steps: readonly StepRow[],
  user: string,
  ioStep: string | undefined,
): Record<string, Span[]> {
  const all = steps.flatMap(({ key, agent_run_id, ended_at }) => {
    const run = agent_run_id === null ? undefined : findRun(app, agent_run_id)
    if (!run || !mayRead(app, run, user)) return []
    const parts = sourceOf(app, run)
      .kept(app, run)
      .flatMap(({ role, parts = [], ts }) => (role === 'user' ? [] : parts.map((part) => ({ ...part, ts }))))
    return [[key, spansIn(parts, ended_at !== null, key === ioStep)] as const]
  })
  return Object.fromEntries(all.filter(([, spans]) => spans.length))
}

/** The thoughts and the tools of an agent in their order; `over`: a tool without a result is not at work any more. */
function spansIn(parts: readonly Part[], over: boolean, withIo: boolean): Span[] {
  const ends = new Map(parts.filter(({ type }) => type === 'tool_result').map((part) => [part.tool_id, part]))
  return parts
    .filter(({ type }) => type === 'tool_call' || type === 'thinking')
    .slice(0, mostSpans)
    .map((part, seq): Span => {
      const end = part.type === 'thinking' ? part : ends.get(part.tool_id)
      const detail = detailOf(part)
      return {
        seq,
        kind: kindOf(part),
        name: part.type === 'thinking' ? 'thinking' : (part.tool_name ?? 'tool'),
        ...(detail && { detail }),
        started_at: part.ts,
        duration_ms: end ? Math.max(0, Date.parse(end.ts) - Date.parse(part.ts)) : 0,
        status: end ? (end.metadata?.['is_error'] ? 'error' : 'ok') : over ? 'error' : 'running',
        ...(withIo && ioOf(part, end)),
      }
    })
}

/** What a tool was given and what it gave, as much as a span shows; a thought was given nothing. */
function ioOf(part: Part, end: Part | undefined): Partial<Span> {
  const given = part.metadata?.['input']
  const input = given === undefined ? undefined : typeof given === 'string' ? given : JSON.stringify(given)
  const output = end?.content
  return {
    ...(input !== undefined && { input: input.slice(0, spanTextLimit), input_truncated: input.length > spanTextLimit }),
    ...(output !== undefined && {
      output: output.slice(0, spanTextLimit),
      output_truncated: output.length > spanTextLimit,
    }),
  }
}

/** Names of tools that the agents' clients have, without case. */
const kinds: readonly [RegExp, Span['kind']][] = [
  [/^(bash|shell|execute|exec|run_shell_command|local_shell|command_execution)/, 'bash'],
  [/^(multi)?edit|^(apply_)?patch|^replace|^str_replace|^file_change/, 'edit'],
  [/^(write|create)/, 'write'],
  [/^(read|view|cat|grep|glob|ls|list|search_file|find)/, 'read'],
  [/^web|fetch|http/, 'http'],
]

function kindOf({ type, tool_name = '', metadata }: Part): Span['kind'] {
  if (type === 'thinking') return 'think'
  if (metadata?.['transport'] === 'mcp' || tool_name.startsWith('mcp__')) return 'mcp_tool'
  return kinds.find(([names]) => names.test(tool_name.toLowerCase()))?.[1] ?? 'tool'
}

/** Members of what a tool is called with that say what it is about. */
const telling = ['command', 'file_path', 'path', 'url', 'pattern', 'query', 'description']

function detailOf({ type, content, metadata }: Part): string | undefined {
  const input = (metadata?.['input'] ?? {}) as Record<string, unknown>
  const told = telling.map((name) => input?.[name]).find((value) => typeof value === 'string' && value !== '')
  const words = type === 'thinking' ? content : (told as string | undefined)
  return words?.slice(0, detailLimit)
}
