import { lexer, type Token, type Tokens } from 'marked'
import type { Tone } from '../output/theme.ts'
import { inline } from './inline.ts'
import { displayable, indented, type Row, rowWidth, span, wrap } from './rows.ts'
import { tableRows } from './table.ts'

/** Markdown as rows of at most `width` columns, blocks a blank row apart. */
export const renderMarkdown = (text: string, width: number): Row[] => blocks(lexer(displayable(text)), width)

function blocks(tokens: readonly Token[], width: number, apart = true): Row[] {
  const shown = tokens.map((token) => block(token as Tokens.Generic, width)).filter((rows) => rows.length)
  return shown.flatMap((rows, at) => (at && apart ? [[], ...rows] : rows))
}

function block(token: Tokens.Generic, width: number): Row[] {
  switch (token.type) {
    case 'space':
    case 'def':
    case 'checkbox':
      return []
    case 'heading':
      return wrap(inline(token.tokens ?? [], headings[token['depth'] - 1] ?? ['bold']), width)
    case 'paragraph':
      return wrap(inline(token.tokens ?? []), width)
    case 'code':
      return code(token as Tokens.Code, width)
    case 'blockquote':
      return indented(blocks(token.tokens ?? [], width - 2), [span('│ ', 'dim')])
    case 'list':
      return list(token as Tokens.List, width)
    case 'table':
      return tableRows(token as Tokens.Table, width)
    case 'hr':
      return [[span('─'.repeat(Math.min(width, 40)), 'dim')]]
    case 'html':
      return wrap([span(token.raw.trimEnd())], width)
    default:
      return wrap(inline([token]), width)
  }
}

const headings: readonly Tone[][] = [['bold', 'underline'], ['bold'], ['bold', 'dim']]

/** Code keeps its lines and its indentation, so that it can be copied. */
const code = ({ text }: Tokens.Code, width: number): Row[] =>
  indented(
    displayable(text)
      .split('\n')
      .flatMap((line) => hard(line, width - 2)),
    [span('  ')],
  )

function hard(line: string, width: number): Row[] {
  return wrap([span(line.replaceAll(' ', '\u00a0'), 'cyan')], width).map((row) =>
    row.map((it) => ({ ...it, text: it.text.replaceAll('\u00a0', ' ') })),
  )
}

function list({ items, ordered, start, loose }: Tokens.List, width: number): Row[] {
  const first = Number(start) || (start === 0 ? 0 : 1)
  const digits = String(first + items.length - 1).length
  const rows = items.map((item, at) => {
    const mark = item.task
      ? item.checked
        ? '[x] '
        : '[ ] '
      : ordered
        ? `${String(first + at).padStart(digits)}. `
        : '• '
    const bullet: Row = [span(mark, item.task && item.checked ? 'green' : 'dim')]
    const inner = rowWidth(bullet)
    const content = blocks(item.tokens, Math.max(4, width - inner), loose)
    return indented(content.length ? content : [[]], bullet, [span(' '.repeat(inner))])
  })
  return rows.flatMap((item, at) => (at && loose ? [[], ...item] : item))
}
