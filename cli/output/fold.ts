interface Fold {
  /** What further lines begin with. */
  indent?: string
  /** Columns that the first line has less. */
  taken?: number
  /** Measures a text; by its length, which is quick, unless told. */
  widthOf?: (text: string) => number
}

/**
 * The text with line breaks between words, so that lines take at most `width` columns; a longer word has a line of its
 * own.
 */
export function folded(text: string, width: number, fold: Fold = {}): string {
  const { indent = '', taken = 0, widthOf = ({ length }: string) => length } = fold
  const lines: string[] = []
  let line = ''
  let room = width - taken
  for (const [n, word] of text.split(' ').entries()) {
    const longer = n === 0 ? word : `${line} ${word}`
    if (n === 0 || widthOf(longer) <= room) line = longer
    else {
      lines.push(line)
      line = indent + word
      room = width
    }
  }
  return [...lines, line].join('\n')
}
