/**
 * Reads YAML in the form in which the configuration is written: maps by indentation whose values are simple or
 * double-quoted text. Undefined for anything else. It spares a command the 6 ms that loading a whole parser takes.
 */
export function plainRead(text: string): unknown {
  const root: Record<string, unknown> = {}
  const open: { indent: number; map: Record<string, unknown> }[] = [{ indent: 0, map: root }]
  let awaited: { indent: number; hold: (map: Record<string, unknown>) => void } | undefined
  for (const line of text.split('\n')) {
    if (line === '' || line.startsWith('#')) continue
    const match = /^( *)("(?:[^"\\]|\\.)*"|[A-Za-z][A-Za-z0-9_-]*):(?: (.*))?$/.exec(line)
    if (!match) return undefined
    const indent = match[1]!.length
    const key = scalar(match[2]!)
    if (key === undefined || key === '__proto__') return undefined
    if (awaited && indent > awaited.indent) {
      const map = {}
      awaited.hold(map)
      open.push({ indent, map })
    } else if (awaited) return undefined
    awaited = undefined
    while (open.length > 1 && open.at(-1)!.indent > indent) open.pop()
    const { map, indent: expected } = open.at(-1)!
    if (indent !== expected || key in map) return undefined
    if (match[3] === undefined) {
      awaited = { indent, hold: (inner) => Object.assign(map, { [key]: inner }) }
      continue
    }
    const value = match[3] === '{}' ? {} : scalar(match[3])
    if (value === undefined) return undefined
    map[key] = value
  }
  return awaited ? undefined : root
}

function scalar(text: string): string | undefined {
  if (/^[A-Za-z0-9/][A-Za-z0-9._/@+-]*(?::[A-Za-z0-9._/@+-]+)*$/.test(text)) return text
  if (!/^"(?:[^"\\]|\\["\\/bfnrt]|\\u[0-9a-fA-F]{4})*"$/.test(text)) return undefined
  return JSON.parse(text) as string
}
