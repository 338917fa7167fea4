/**
 * Markdown of somebody else as a quotation. It reads as before, but ends no sooner and no later than the quotation
 * does, and no reader takes anything in it for HTML, or fetches a picture for it.
 */
export function quotation(text: string): string {
  const lines = text.split('\n').map(untabbed)
  const shown = withFences(lines) ?? lines.map(escaped)
  return shown.map((line) => (line ? `> ${line}` : '>')).join('\n')
}

/** A name or a title as Markdown that is this text and nothing else. */
export const literal = (text: string): string => text.replace(/[\\`*_[\]<>#|!~&]/g, '\\$&')

/** Entities, because a backslash may itself stand behind one. */
const escaped = (text: string): string => text.replaceAll('<', '&lt;').replace(/!(?=\[)/g, '&#33;')

/** Tabs at the beginning of a line end elsewhere within a quotation. */
const untabbed = (line: string): string => line.replace(/^[ \t]+/, (blank) => blank.replaceAll('\t', '    '))

const fence = /^( {0,3})(`{3,}|~{3,})(.*)$/

/**
 * The lines with what is code left as it is. Null where it depends on lists around it what is code: only fences at the
 * beginning of a line are the same to all readers.
 */
function withFences(lines: readonly string[]): string[] | null {
  const shown: string[] = []
  let prose: string[] = []
  let open: string | null = null
  for (const line of lines) {
    const [, indent = '', marks = '', rest = ''] = fence.exec(line) ?? []
    if (open !== null) {
      shown.push(line)
      if (marks.startsWith(open) && /^[ \t]*$/.test(rest)) open = null
    } else if (!marks || (marks.startsWith('`') && rest.includes('`'))) prose.push(line)
    else if (indent) return null
    else {
      shown.push(...withSpans(prose), line)
      prose = []
      open = marks
    }
  }
  return [...shown, ...withSpans(prose), ...(open === null ? [] : [open])]
}

/** Prose in which code within lines stays as it is, if each line has the whole of its code. */
function withSpans(lines: readonly string[]): string[] {
  const parted = lines.map(spansOf)
  return lines.map((line, at) =>
    parted.includes(null) ? escaped(line) : parted[at]!.map((part, n) => (n % 2 ? part : escaped(part))).join(''),
  )
}

/** A line by turns without code and with it. Null when backticks are left over, or a table could part its code. */
function spansOf(line: string): string[] | null {
  const parts: string[] = []
  let rest = line
  for (let first = /`+/.exec(rest); first; first = /`+/.exec(rest)) {
    const [marks] = first
    const body = rest.slice(first.index + marks.length)
    const end = [...body.matchAll(/`+/g)].find(([row]) => row === marks)
    if (!end || rest[first.index - 1] === '\\' || body.slice(0, end.index).includes('|')) return null
    parts.push(rest.slice(0, first.index), marks + body.slice(0, end.index) + marks)
    rest = body.slice(end.index + marks.length)
  }
  return [...parts, rest]
}
