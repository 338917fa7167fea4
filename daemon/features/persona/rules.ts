import { personaCap } from '#contract/persona'
import { isVisible } from '#kernel/http/fields'
import { problem } from '#kernel/problem'

/** What ends a line, in any writing. */
const lineEnds = /\r\n|[\n\r\v\f\u0085\u2028\u2029]/u
/** Characters that are not seen, but for tabs and those that join letters and pictures. */
const unseen = /(?![\t\u200c\u200d])[\p{Cc}\p{Cf}]/gu

/** Refuses a text that cannot be a persona. */
export function checkContent(content: string): void {
  if (!isVisible(content)) throw problem('invalid_field', { field: 'content', detail: 'content must not be blank' })
  const bytes = Buffer.byteLength(content)
  if (bytes > personaCap)
    throw problem('body_too_large', {
      field: 'content',
      detail: `A persona has at most ${personaCap} bytes; this one has ${bytes}`,
    })
}

const linesOf = (text: string): string[] =>
  text
    .trim()
    .split(lineEnds)
    .map((line) => line.replace(unseen, '').trimEnd())

/** As Markdown that shows every character, so that nobody approves what a comment or a link hides. */
export function fenced(text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([ticks]) => ticks.length))
  const fence = '`'.repeat(longest + 1)
  return [fence, ...linesOf(text), fence].join('\n')
}

/** Each line behind a mark, so that no line of a text reads as one of the page on which it stands. */
export const quotedLines = (text: string): string =>
  linesOf(text)
    .map((line) => `> ${line}`.trimEnd())
    .join('\n')

interface Described {
  name: string
  slug: string
  role_title: string | null
  agent_role: string
  crew_name: string | null
}

/** Who an agent is by its name and role: its persona where nobody wrote one. Every system prompt begins with it. */
export function synthesized({ name, slug, role_title, agent_role, crew_name }: Described): string {
  const title = role_title ? `, ${role_title}` : ''
  const crew = crew_name === null ? '' : ` of the crew "${crew_name}"`
  const lead = agent_role === 'LEAD' ? ' You lead this crew.' : ''
  return `You are ${name} (@${slug})${title}, a coding agent${crew}.${lead}`
}
