const names = new Intl.DisplayNames(['en'], { type: 'language', fallback: 'none' })
const letters = 'abcdefghijklmnopqrstuvwxyz'

/** English names of the languages with a two-letter code, in lower case. */
const byName = (): Map<string, string> => {
  const codes = [...letters].flatMap((one) => [...letters].map((two) => one + two))
  return new Map(codes.flatMap((code) => nameOf(code) ?? []).map((name) => [name.toLowerCase(), name]))
}
let known: Map<string, string> | undefined

function nameOf(code: string): string | undefined {
  try {
    return names.of(code)
  } catch {
    return undefined
  }
}

/** The English name of a language given by its name or its code (`German`, `de`, `pt-BR`); null when there is none. */
export function languageName(given: string): string | null {
  known ??= byName()
  const text = given.trim()
  return (
    known.get(text.toLowerCase()) ??
    (/^[a-z]{2,3}(-[a-z]{4})?(-([a-z]{2}|\d{3}))?$/i.test(text) ? nameOf(text) : undefined) ??
    null
  )
}
