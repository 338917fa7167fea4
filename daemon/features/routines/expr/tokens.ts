/** A piece of an expression, and where it begins. */
export type Token = { at: number } & (
  | { kind: 'number'; value: number }
  | { kind: 'text'; value: string }
  | { kind: 'name' | 'sign'; value: string }
  | { kind: 'end'; value: '' }
)

const pieces = new RegExp(
  [
    /(?<space>\s+|\/\/[^\n]*|\/\*[\s\S]*?\*\/)/,
    /(?<number>0x[0-9a-fA-F]+|\d+(?:\.(?!\.)\d+)?(?:[eE][+-]?\d+)?)/,
    /(?<text>"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`[^`]*`)/,
    /(?<name>[A-Za-z_$][\w$]*)/,
    /(?<sign>\?\?|\?\.|\.\.|\*\*|&&|\|\||==|!=|<=|>=|\/(?!\*)|[-+*%^<>!?:.,;()[\]{}|#=])/,
  ]
    .map(({ source }) => source)
    .join('|'),
  'y',
)

/** The pieces of an expression; throws where there is none. */
export function tokensOf(text: string): Token[] {
  const tokens: Token[] = []
  pieces.lastIndex = 0
  while (pieces.lastIndex < text.length) {
    const at = pieces.lastIndex
    const found = pieces.exec(text)
    if (!found) throw new Error(`"${text[at]}" at character ${at + 1} belongs to nothing`)
    const { number, text: quoted, name, sign } = found.groups!
    if (number !== undefined) tokens.push({ kind: 'number', at, value: Number(number) })
    else if (quoted !== undefined) tokens.push({ kind: 'text', at, value: unquoted(quoted) })
    else if (name !== undefined) tokens.push({ kind: 'name', at, value: name })
    else if (sign !== undefined) tokens.push({ kind: 'sign', at, value: sign })
  }
  return [...tokens, { kind: 'end', at: text.length, value: '' }]
}

const escapes: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', '0': '\0' }

function unquoted(text: string): string {
  const inside = text.slice(1, -1)
  if (text.startsWith('`')) return inside
  return inside.replace(/\\(?:u([0-9a-fA-F]{4})|(.))/gs, (_, code: string | undefined, one: string) =>
    code ? String.fromCharCode(Number.parseInt(code, 16)) : (escapes[one] ?? one),
  )
}
