/** What templates and expressions may name: `inputs`, `steps`, `run`, `event` and the item of a foreach. */
export type Values = Readonly<Record<string, unknown>>

const citation = /\{\{\s*([^{}]{0,300}?)\s*\}\}/g
const whole = /^\{\{\s*([^{}]{0,300}?)\s*\}\}$/
const path = /^[a-zA-Z_][\w-]*(?:\.[\w-]+|\[\d{1,6}\])*$/

/** The paths that the templates within a value cite. */
export const cited = (value: unknown): string[] =>
  typeof value === 'string'
    ? [...value.matchAll(citation)].map(([, inside]) => inside!)
    : Array.isArray(value)
      ? value.flatMap(cited)
      : typeof value === 'object' && value !== null
        ? Object.values(value).flatMap(cited)
        : []

export const isPath = (text: string): boolean => path.test(text)

/** The names of a path: `steps.list.output[0].id` has `steps`, `list`, `output`, `0`, `id`. */
export const namesOf = (text: string): string[] => text.split(/[.[\]]+/).filter(Boolean)

/** What a path leads to; undefined where there is nothing. Only own members are looked at. */
export function valueAt(values: unknown, names: readonly string[]): unknown {
  let found = values
  for (const name of names) {
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, name)) return undefined
    found = (found as Record<string, unknown>)[name]
  }
  return found
}

const inText = (value: unknown): string =>
  value === undefined || value === null ? '' : typeof value === 'string' ? value : JSON.stringify(value)

/** A text with what its templates cite; nothing that is inserted is read as a template again. */
export const render = (
  text: string,
  values: Values,
  show: (value: string, path: string) => string = (it) => it,
): string => text.replace(citation, (_, inside: string) => show(inText(valueAt(values, namesOf(inside))), inside))

/** As `render`, within objects and lists as well. A text that is one template alone becomes the value itself. */
export function renderValue(value: unknown, values: Values): unknown {
  if (typeof value === 'string') {
    const alone = whole.exec(value)
    return alone ? (valueAt(values, namesOf(alone[1]!)) ?? null) : render(value, values)
  }
  if (Array.isArray(value)) return value.map((one) => renderValue(one, values))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, renderValue(one, values)]))
}

/** What the result of a template in `if` means. */
export const meansYes = (text: string): boolean =>
  !['', 'false', '0', 'null', 'nil', 'no', 'off'].includes(text.trim().toLowerCase())
