import type { Said } from '#kernel/runs'

/** A longer text is cut; the log of the run has all of it. */
export function cut(text: string, limit: number): string {
  if (text.length <= limit) return text
  // Never within a character.
  const end = /[\ud800-\udbff]/.test(text[limit - mark.length - 1]!) ? limit - mark.length - 1 : limit - mark.length
  return text.slice(0, end) + mark
}

const mark = '\n(cut here)'

/** A slug as agents write it: `ada`, `@ada`. */
export const slugOf = (given: string): string => given.trim().replace(/^@/, '')

/** What an agent said last, after its last use of a tool; empty when it said nothing. */
export function lastWords(messages: readonly Pick<Said, 'role' | 'content' | 'parts'>[]): string {
  const said = messages.findLast(({ role, content }) => role === 'assistant' && content.trim() !== '')
  const parts = said?.parts ?? []
  const after = parts.slice(parts.findLastIndex(({ type }) => type === 'tool_call' || type === 'tool_result') + 1)
  const texts = after.flatMap(({ type, content }) => (type === 'text' && content?.trim() ? [content.trim()] : []))
  return texts.join('\n\n') || (said?.content.trim() ?? '')
}
