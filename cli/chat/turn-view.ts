import type { Result } from '#contract/frames'
import { renderMarkdown } from '../markdown/render.ts'
import { displayable, indented, type Row, type Span, span, wrap } from '../markdown/rows.ts'
import { MarkdownStream } from '../markdown/stream.ts'
import { cleanLine } from '../output/clean.ts'
import type { Tone } from '../output/theme.ts'
import { shorten } from '../output/width.ts'
import { lasted, type ToolUse } from './tools.ts'
import type { Turn, TurnEvent } from './turn.ts'

const turning = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏']
const markMs = 100
/** Rows of a failed tool's output that are shown. */
const outputRows = 3
/** Shorter than this is not worth telling. */
const leastMs = 100

export type Kind = 'text' | 'tool' | 'thinking' | 'note'
/** Where rows go that stay. */
export type Commit = (kind: Kind, rows: readonly Row[]) => void

export interface TurnViewOptions {
  width(): number
  commit: Commit
  thinking(): boolean
  /** Kind of the rows that were committed last. */
  last(): Kind
}

/** Shows one turn: what is finished is committed, what still changes is `rows`. */
export class TurnView {
  private readonly it: TurnViewOptions
  readonly turn: Turn
  private readonly startedAt = performance.now()
  private speech = new MarkdownStream()
  private thought = ''
  private doing = 'Waiting'

  constructor(turn: Turn, options: TurnViewOptions) {
    this.turn = turn
    this.it = options
  }

  /** What the agent is about, in a word. */
  say(doing: string): void {
    this.doing = doing
  }

  see(event: TurnEvent): void {
    switch (event.type) {
      case 'text':
        if (event.fresh) this.flush()
        this.doing = 'Writing'
        return void this.speak(this.speech.push(event.text))
      case 'thinking':
        if (event.fresh) this.flush()
        this.doing = 'Thinking'
        if (this.it.thinking()) this.thought += event.text
        return
      case 'call':
        this.doing = 'Working'
        return void this.flush()
      case 'result':
        this.flush()
        this.doing = 'Working'
        return void this.it.commit('tool', toolRows(event.tool, event.output, this.it.width()))
      case 'status':
        this.doing = cleanLine(event.text)
        return
      case 'image':
        this.flush()
        return void this.it.commit('note', [[span(`[image: ${cleanLine(event.text)}]`, 'dim')]])
      case 'error':
        this.flush()
        return void this.it.commit('note', wrap([span('✗ ', 'red'), span(displayable(event.text))], this.it.width()))
      case 'done':
        this.flush()
        for (const tool of this.turn.tools.values())
          if (tool.status === 'unfinished') this.it.commit('tool', toolRows(tool, '', this.it.width()))
    }
  }

  /** What is not finished yet. */
  rows(): Row[] {
    const width = this.it.width()
    const current = displayable(this.speech.current || this.thought).trimEnd()
    const tone: Tone[] = this.speech.current ? [] : ['dim']
    const speech = current ? [[], ...wrap([{ text: current, tones: tone }], width)] : []
    const now = performance.now()
    const mark = turning[Math.floor(now / markMs) % turning.length]!
    const tools = this.turn.running.map((tool) => runningRow(tool, mark, now, width))
    const seconds = Math.floor((now - this.startedAt) / 1000)
    const status = `${mark} ${this.doing}${seconds > 0 ? ` · ${seconds} s` : ''} · Ctrl-C cancels`
    return [
      ...speech,
      ...(tools.length && (speech.length || this.it.last() !== 'tool') ? [[]] : []),
      ...tools,
      [],
      [span(shorten(status, width), 'dim')],
    ]
  }

  /** Finishes what was begun to be said. */
  flush(): void {
    this.speak(this.speech.end())
    const thought = displayable(this.thought).trim()
    this.thought = ''
    if (thought) this.it.commit('thinking', wrap([{ text: thought, tones: ['dim', 'italic'] }], this.it.width()))
  }

  private speak(markdown: string): void {
    const rows = markdown.trim() ? renderMarkdown(markdown, this.it.width()) : []
    if (rows.length) this.it.commit('text', rows)
  }
}

const runningRow = ({ name, brief, nested, startedAt }: ToolUse, mark: string, now: number, width: number): Row => {
  const spent = now - startedAt
  const time = spent > 1000 ? ` · ${Math.floor(spent / 1000)} s` : ''
  return toolRow([span(`${mark} `, 'cyan')], name, brief, time, nested, width)
}

/** `✓ Bash  ls -la · 0.3 s`, and what a failed tool said. */
export function toolRows({ name, brief, nested, status, duration_ms }: ToolUse, output: string, width: number): Row[] {
  const mark = status === 'ok' ? span('✓ ', 'green') : status === 'failed' ? span('✗ ', 'red') : span('• ', 'yellow')
  const words = [
    status === 'failed' && 'failed',
    status === 'unfinished' && 'not finished',
    (duration_ms ?? 0) >= leastMs && lasted(duration_ms!),
  ]
  const notes = words.filter(Boolean).map((word) => ` · ${word}`)
  const row = toolRow([mark], name, brief, notes.join(''), nested, width)
  if (status !== 'failed') return [row]
  const lines = displayable(output).trim().split('\n')
  const shown = lines.slice(0, outputRows).map((line): Row => [span(shorten(line, width - 4), 'dim')])
  if (lines.length > outputRows) shown.push([span(`… ${lines.length - outputRows} more lines`, 'dim')])
  return [row, ...indented(shown, [span(nested ? '    ' : '  ')])]
}

function toolRow(mark: Span[], name: string, brief: string, notes: string, nested: boolean, width: number): Row {
  const room = width - 2 - (nested ? 2 : 0) - name.length - notes.length - 2
  const shown = brief && room > 4 ? `  ${shorten(brief, room)}` : ''
  return [span(nested ? '  ' : ''), ...mark, span(shorten(name, width - 4), 'bold'), span(shown), span(notes, 'dim')]
}

/** What a turn took, on one line; null when nothing is known. */
export function footer(tools: number, result: Result | null): string | null {
  if (!result) return null
  const { usage, total_cost_usd, duration_ms } = result
  const tokens = usage.input_tokens + usage.output_tokens
  const parts = [
    tools && `${tools} tool ${tools === 1 ? 'call' : 'calls'}`,
    tokens && `${tokens.toLocaleString('en')} tokens`,
    total_cost_usd && `$${total_cost_usd < 0.01 ? total_cost_usd.toFixed(4) : total_cost_usd.toFixed(2)}`,
    duration_ms !== undefined && duration_ms >= leastMs && lasted(duration_ms),
  ]
  return parts.filter(Boolean).join(' · ') || null
}
