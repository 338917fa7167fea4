import { Problem, problem } from '#kernel/problem'

/** A slug made of a name; `fallback` where the name has too few plain letters. */
export function slugOf(name: string, fallback: string): string {
  const slug = name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, 50)
    .replace(/^-+|-+$/g, '')
  return slug.length < 2 ? fallback : slug
}

/** Does `work`, whose refusals name members of another body; `fields` maps them to the members of this one. */
export function naming<T>(fields: Readonly<Record<string, string>>, work: () => T): T {
  try {
    return work()
  } catch (error) {
    const field = error instanceof Problem ? fields[error.field ?? ''] : undefined
    if (!(error instanceof Problem && field)) throw error
    throw problem(error.code, { field, detail: error.message.replace(new RegExp(`^${error.field}\\b`), field) })
  }
}
