/** Who is named in a text. */
export interface Mentions {
  /** In lower case. */
  slugs: ReadonlySet<string>
  /** Ids of agents, from links that pickers of clients write. */
  ids: ReadonlySet<string>
  /** Ids of people, from such links. */
  users: ReadonlySet<string>
  /** E-mail addresses after an `@`, in lower case. */
  addresses: ReadonlySet<string>
}

const link = /\[@[a-z0-9._-]{1,64}\]\([a-z][a-z0-9+.-]{0,30}:agent\/([A-Za-z0-9_-]{1,64})\)/gi
const person = /\[@[^\]\n]{1,100}\]\([a-z][a-z0-9+.-]{0,30}:user\/([A-Za-z0-9_-]{1,64})\)/gi
const addressed = /(?<![\p{L}\p{N}_@./-])@([a-z0-9._%+-]{1,64}@[a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63}){1,8})/giu
const named = /(?<![\p{L}\p{N}_@./-])@([a-z0-9][a-z0-9_-]*)(?![\p{L}\p{N}_@]|\.[\p{L}\p{N}])/giu

/**
 * Whom a text names. An agent: `@slug`, in any case and not as part of another word or address, or a client's link. A
 * person: `@` and their address, or a client's link. Code, in blocks and in lines, names nobody. docs/rules/chats.md,
 * "People".
 */
export function mentionsIn(text: string): Mentions {
  const prose = withoutSpans(withoutBlocks(text))
  const ids = new Set([...prose.matchAll(link)].map(([, id]) => id!))
  const users = new Set([...prose.matchAll(person)].map(([, id]) => id!))
  const plain = prose.replace(link, ' ').replace(person, ' ')
  const addresses = new Set([...plain.matchAll(addressed)].map(([, address]) => address!.toLowerCase()))
  const slugs = new Set([...plain.matchAll(named)].map(([, slug]) => slug!.toLowerCase()))
  return { slugs, ids, users, addresses }
}

/** Whether a text names an agent. */
export function mentions(text: string, agent: { id: string; slug: string }): boolean {
  const { slugs, ids } = mentionsIn(text)
  return slugs.has(agent.slug.toLowerCase()) || ids.has(agent.id)
}

const opening = /^ {0,3}(`{3,}|~{3,})(.*)$/

/** A text without its fenced blocks; one without an end goes to the end of the text. */
function withoutBlocks(text: string): string {
  let fence: string | null = null
  const prose = text.split('\n').filter((line) => {
    const [, marks, rest] = opening.exec(line) ?? []
    if (fence === null) {
      // A line with further backticks is a span of code.
      if (!marks || (marks.startsWith('`') && rest!.includes('`'))) return true
      fence = marks
    } else if (marks?.startsWith(fence) && !rest!.trim()) fence = null
    return false
  })
  return prose.join('\n')
}

/** A text without spans of code: what stands between two rows of equally many backticks. */
function withoutSpans(text: string): string {
  const rows = [...text.matchAll(/`+/g)].map(({ 0: { length }, index }) => ({ length, index }))
  const next = new Map<number, number>()
  const closing = rows.map(() => -1)
  for (let at = rows.length - 1; at >= 0; at--) {
    const { length } = rows[at]!
    closing[at] = next.get(length) ?? -1
    next.set(length, at)
  }
  let prose = ''
  let from = 0
  for (let at = 0; at < rows.length; at++) {
    const end = rows[closing[at]!]
    if (!end) continue
    prose += `${text.slice(from, rows[at]!.index)} `
    from = end.index + end.length
    at = closing[at]!
  }
  return prose + text.slice(from)
}
