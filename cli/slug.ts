import { InputError } from './input.ts'

/** The slug that was given, or one made of the name: `My first crew` becomes `my-first-crew`. */
export function slugFor(name: string, given: string | undefined): string {
  if (given !== undefined) return given
  const slug = name
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]/g, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, 50)
    .replace(/^-+|-+$/g, '')
  if (slug.length < 2)
    throw new InputError(
      `No short name can be derived from "${name}".`,
      'repeat with --slug, of the letters a-z and digits',
    )
  return slug
}
