import { lexer } from 'marked'
import { clean } from '../output/clean.ts'

// What may still grow after a blank line.
const open = new Set(['list', 'blockquote', 'html', 'def'])

/** Cuts Markdown that arrives piece by piece into blocks that are complete and the one that is still growing. */
export class MarkdownStream {
  /** The block that is not complete yet. */
  current = ''

  /** Takes more text and gives back what became complete, as Markdown; empty when nothing did. */
  push(text: string): string {
    // Without carriage returns, which marked would not count.
    this.current += clean(text)
    // Blocks end at line breaks only.
    return text.includes('\n') ? this.take(complete(this.current)) : ''
  }

  /** The rest. */
  end(): string {
    return this.take(this.current.length)
  }

  private take(length: number): string {
    const done = this.current.slice(0, length)
    this.current = this.current.slice(length)
    return done
  }
}

/** How much of the text, from its start, no later text can change. */
function complete(text: string): number {
  const tokens = lexer(text)
  const last = tokens.at(-1)
  if (!last) return 0
  const keep = last.type === 'space' && tokens.length > 1 ? (open.has(tokens.at(-2)!.type) ? 2 : 0) : 1
  const kept = tokens.slice(tokens.length - keep).reduce((sum, { raw }) => sum + raw.length, 0)
  return Math.max(0, text.length - kept)
}
