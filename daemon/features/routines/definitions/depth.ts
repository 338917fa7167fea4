/**
 * Bounds for texts that are read by recursive parsers. They are looked at before: a parser that runs out of stack while
 * the engine compiles one of its patterns ends the whole process.
 */
const deepestBrackets = 100
/** Choices within each other, and members of members. */
const longestRow = 200

const isName = (char: string | undefined): boolean => char !== undefined && /\w/.test(char)

/** The end of the text that begins at a quote of an expression. */
function endOfText(text: string, at: number): number {
  const raw = /[rR]/.test(text[at - 1] ?? '') && !isName(text[at - 2]?.replace(/[bB]/, ''))
  const quote = text.startsWith(text[at]!.repeat(3), at) ? text[at]!.repeat(3) : text[at]!
  for (let end = at + quote.length; end < text.length; end++) {
    if (text[end] === '\\' && !raw) end++
    else if (text.startsWith(quote, end)) return end + quote.length - 1
  }
  return text.length
}

/** Whether an expression is nested too deep to be read. */
export function isDeepExpression(text: string): boolean {
  let [depth, choices, members] = [0, 0, 0]
  for (let at = 0; at < text.length; at++) {
    const char = text[at]!
    if (char === '"' || char === "'") at = endOfText(text, at)
    else if ('([{'.includes(char)) depth++
    else if (')]}'.includes(char)) depth--
    else if (char === '?') choices++
    else if (char === '.') members++
    else if (',=<>&|+*/%:'.includes(char)) members = 0
    if (depth > deepestBrackets || choices > longestRow || members > longestRow) return true
  }
  return false
}

/** Whether YAML is nested too deep to be read: by brackets, by signs in a row, or by how far lines are moved in. */
export function isDeepYaml(text: string): boolean {
  if (/(?:[-?:][ \t]+){100}|^[ \t]{200}/m.test(text)) return true
  let depth = 0
  for (let at = 0; at < text.length; at++) {
    const char = text[at]!
    if (char === '[' || char === '{') depth++
    else if ((char === ']' || char === '}') && depth > 0) depth--
    if (depth > 2 * deepestBrackets) return true
  }
  return false
}
