import type { Said } from '#kernel/runs'

/** What an agent said last, after its last use of a tool; empty when it said nothing. */
export function lastWords(messages: readonly Pick<Said, 'role' | 'content' | 'parts'>[]): string {
  const said = messages.findLast(({ role, content }) => role === 'assistant' && content.trim() !== '')
  const parts = said?.parts ?? []
  const after = parts.slice(parts.findLastIndex(({ type }) => type === 'tool_call' || type === 'tool_result') + 1)
  const texts = after.flatMap(({ type, content }) => (type === 'text' && content?.trim() ? [content.trim()] : []))
  return texts.join('\n\n') || (said?.content.trim() ?? '')
}
