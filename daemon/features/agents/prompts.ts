import { problem } from '#kernel/problem'

const most = { lines: 8, characters: 120 }

const refuse = (detail: string) => problem('invalid_field', { field: 'suggested_prompts', detail })

/** What people are offered to ask, one line each, as it is stored; null when there is nothing. */
export function suggestedPrompts(given: string | null): string | null {
  const lines = (given ?? '').split(/\r?\n/).map((line) => line.trim())
  const long = lines.findIndex((line) => [...line].length > most.characters)
  if (long >= 0) throw refuse(`suggested_prompts, line ${long + 1}: a prompt has at most ${most.characters} characters`)
  const prompts = lines.filter(Boolean)
  const over = lines.map((line, at) => (line ? at : -1)).filter((at) => at >= 0)[most.lines]
  if (over !== undefined)
    throw refuse(
      `suggested_prompts, line ${over + 1}: there are ${prompts.length} prompts; an agent has at most ${most.lines}`,
    )
  return prompts.join('\n') || null
}
