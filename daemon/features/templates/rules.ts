import { oneLine } from '#kernel/mail/letter'

const citation = /\{\{\s*([^{}]{0,200}?)\s*\}\}/g
const known = /^(?:vars\.[A-Za-z_][\w-]{0,60}(?:\.[A-Za-z_][\w-]{0,60})?|source\.(?:title|body|category|kind))$/

/** A reference that no message has; undefined when there is none. */
export const unknownIn = (template: string): string | undefined =>
  [...template.matchAll(citation)].map(([, name]) => name!).find((name) => !known.test(name))

export interface Said {
  title: string
  body: string
}

interface Source extends Said {
  category: string
  kind: string
  vars: Readonly<Record<string, unknown>>
}

/** Most characters of what is inserted once: a message shows no more, and a template may name it often. */
const inserted = 2000

/** A template with what it names; what is not there is empty, and what is inserted is not read again. */
const filled = (template: string, values: object): string =>
  template.replace(citation, (_, name: string) => {
    let found: unknown = values
    for (const part of name.split('.')) {
      if (typeof found !== 'object' || found === null || !Object.hasOwn(found, part)) return ''
      found = (found as Record<string, unknown>)[part]
    }
    return ['string', 'number', 'boolean'].includes(typeof found) ? String(found).slice(0, inserted) : ''
  })

/** A message in the words of a template; a part that comes out blank keeps its own words. */
export function inWords(template: Said, { vars, ...source }: Source): Said {
  const values = { vars, source }
  const title = oneLine(filled(template.title, values))
  const body = filled(template.body, values)
  return { title: title || source.title, body: body.trim() ? body : source.body }
}
