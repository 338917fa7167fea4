import { Problem, problem } from '#kernel/problem'

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
