/** Longer pastes stand in the line as one mark. */
const keptLines = 5
const keptLength = 1000

// Private use: no keyboard has these, and readline takes each for one character.
const first = 0x100000
const marks = /[\u{100000}-\u{10ffff}]/gu

/** Long texts that were pasted. Each stands in the typed line as one character, which is moved and deleted as such. */
export class Pastes {
  private readonly texts: string[] = []

  /** What stands for a pasted text in the line: a short one itself. */
  put(text: string): string {
    if (text.length <= keptLength && linesOf(text) <= keptLines) return text
    this.texts.push(text)
    return String.fromCodePoint(first + this.texts.length - 1)
  }

  /** The line as it is sent. */
  readonly whole = (line: string): string => this.replaced(line, (text) => text)

  /** The line as it is shown. */
  readonly shown = (line: string): string =>
    this.replaced(line, (text) => {
      const lines = linesOf(text)
      return lines > 1 ? `[pasted ${lines} lines]` : `[pasted ${text.length} characters]`
    })

  private replaced(line: string, say: (text: string) => string): string {
    if (!this.texts.length) return line
    return line.replace(marks, (mark) => {
      const text = this.texts[mark.codePointAt(0)! - first]
      return text === undefined ? mark : say(text)
    })
  }
}

/** How many lines a text has; a break at its end begins none. */
function linesOf(text: string): number {
  let count = 1
  for (let at = text.indexOf('\n'); at >= 0 && at < text.length - 1; at = text.indexOf('\n', at + 1)) count++
  return count
}
