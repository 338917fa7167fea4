import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { renderMarkdown } from '../../../cli/markdown/render.ts'
import { painted } from '../../../cli/markdown/rows.ts'
import { MarkdownStream } from '../../../cli/markdown/stream.ts'

/** The blocks that come out, each as soon as it is complete. */
function cut(chunks: string[]): string[] {
  const stream = new MarkdownStream()
  return [...chunks.map((chunk) => stream.push(chunk)), stream.end()].filter((block) => block.trim())
}

const rows = (text: string) => renderMarkdown(text, 50).map((row) => painted(row, (_, it) => it))
const text = `# Plan

First *this*,
then that.

- one
- two

  still two

- three

\`\`\`ts
const a = 1

const b = 2
\`\`\`
| a | b |
|---|---|
| 1 | 2 |

1. x
2. y

> quoted

> again

Setext
===
The end`

describe('a stream of Markdown', () => {
  it('gives a block when no later text can change it', () => {
    const stream = new MarkdownStream()
    expect(stream.push('First ')).toBe('')
    expect(stream.push('paragraph\n')).toBe('')
    expect(stream.push('\n')).toBe('First paragraph\n\n')
    expect(stream.push('- a\n\n')).toBe('')
    expect(stream.push('  more of a\n\n')).toBe('')
    expect(stream.push('Text\n')).toBe('- a\n\n  more of a\n\n')
    expect(stream.current).toBe('Text\n')
    expect(stream.end()).toBe('Text\n')
  })

  it('keeps a fence together, blank lines and all', () => {
    const stream = new MarkdownStream()
    expect(stream.push('```\na\n\nb\n\n# no heading\n')).toBe('')
    expect(stream.push('```\n\nText')).toBe('```\na\n\nb\n\n# no heading\n```\n\n')
  })

  it('shows block by block what the whole shows, wherever it was cut', () => {
    const whole = rows(text)
    const cuts = fc.uniqueArray(fc.integer({ min: 0, max: text.length }), { maxLength: 40 })
    fc.assert(
      fc.property(cuts, (at) => {
        const places = [0, ...at.sort((a, b) => a - b), text.length]
        const blocks = cut(places.slice(1).map((end, n) => text.slice(places[n], end)))
        expect(blocks.join('')).toBe(text)
        expect(blocks.flatMap((block, n) => (n ? ['', ...rows(block)] : rows(block)))).toEqual(whole)
      }),
      { numRuns: 300 },
    )
  })

  it('loses nothing of any text', () => {
    fc.assert(
      fc.property(fc.array(fc.stringMatching(/^[a\-*#>`|\n\r\t \d.&]*$/)), (chunks) => {
        const stream = new MarkdownStream()
        expect([...chunks.map((chunk) => stream.push(chunk)), stream.end()].join('')).toBe(
          chunks.join('').replaceAll('\r', ''),
        )
      }),
    )
  })
})
