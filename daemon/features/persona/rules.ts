import { personaCap } from '#contract/persona'
import { isVisible } from '#kernel/http/fields'
import { problem } from '#kernel/problem'
import { visibleLines } from '#kernel/quoted-lines'

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

/** As Markdown that shows every character, so that nobody approves what a comment or a link hides. */
export function fenced(text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([ticks]) => ticks.length))
  const fence = '`'.repeat(longest + 1)
  return [fence, ...visibleLines(text), fence].join('\n')
}

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
