import { slugPattern } from '#contract/fields'

const slug = new RegExp(slugPattern)

/** Whether a text can be the slug of a crew or an agent. */
export const isSlug = (text: string): boolean => slug.test(text)

/** The plain letters and digits of a name between single dashes, at most so many characters; empty without any. */
export const plainSlug = (name: string, most: number): string =>
  name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, most)
    .replace(/^-+|-+$/g, '')

/** A slug made of a name; `fallback` where the name has too few plain letters. */
export function slugOf(name: string, fallback: string): string {
  const made = plainSlug(name, 50)
  return made.length < 2 ? fallback : made
}
