export const numeric: ReadonlySet<string> = new Set(['number', 'money'])
export const uploads: ReadonlySet<string> = new Set(['file', 'photo'])
export const chosen: ReadonlySet<string> = new Set(['select', 'multiselect'])

/** Kinds for which `min` and `max` mean nothing. */
export const unbounded: ReadonlySet<string> = new Set(['date', 'month', 'select', 'checkbox'])

/** Whether it is text of any length, as every kind is that nobody knows. */
export const isText = (type: string): boolean =>
  !(numeric.has(type) || uploads.has(type) || chosen.has(type) || unbounded.has(type))

/** The name of the value beside a money field. */
export const currencyOf = (name: string): string => `${name}_currency`
