/** Licences under which skills are taken, by the list of SPDX. */
const allowed = [
  'MIT',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'ISC',
  'CC0-1.0',
  'MPL-2.0',
  'Unlicense',
  '0BSD',
] as const

const longNames: Readonly<Record<string, string>> = {
  'apache license 2.0': 'Apache-2.0',
  'apache license, version 2.0': 'Apache-2.0',
  'apache license version 2.0': 'Apache-2.0',
  'apache 2.0': 'Apache-2.0',
  'apache 2': 'Apache-2.0',
  'mit license': 'MIT',
  'the mit license': 'MIT',
  expat: 'MIT',
  'isc license': 'ISC',
  'bsd 2-clause': 'BSD-2-Clause',
  'simplified bsd': 'BSD-2-Clause',
  'bsd 3-clause': 'BSD-3-Clause',
  'new bsd': 'BSD-3-Clause',
  'creative commons zero': 'CC0-1.0',
  'cc0 1.0': 'CC0-1.0',
  cc0: 'CC0-1.0',
  'mozilla public license 2.0': 'MPL-2.0',
  'the unlicense': 'Unlicense',
}

/** Words behind a name with which the name alone does not say what holds. */
const other = /\b(?:and|with|or|not|except|gpl|agpl|lgpl|commercial|non-?commercial|proprietary|custom)\b/i

/**
 * The licence of the allow-list that a text names; null when it is none. `A OR B` needs one of them, `A AND B` both.
 */
export function openLicense(text: string | null): string | null {
  if (text === null) return null
  const expression = text.replace(/[()]/g, ' ').trim()
  // Brackets only matter where both words stand together; then every part must be open.
  const both = /\band\b/i.test(expression)
  const parts = expression.split(/\s+(?:and|or)\s+/i).map(single)
  const found = parts.filter((part) => part !== null)
  if (both ? found.length < parts.length : found.length === 0) return null
  return both ? [...new Set(found)].join(' AND ') : found[0]!
}

function single(text: string): string | null {
  const lower = text.trim().toLowerCase()
  const names = [...Object.keys(longNames), ...allowed.map((name) => name.toLowerCase())].sort(
    (a, b) => b.length - a.length,
  )
  const name = names.find((it) => lower.startsWith(it))
  if (name === undefined) return null
  const rest = lower.slice(name.length)
  if (/^[a-z0-9]/.test(rest) || /^[-+.]\w/.test(rest) || other.test(rest)) return null
  return longNames[name] ?? allowed.find((it) => it.toLowerCase() === name)!
}
