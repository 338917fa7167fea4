import { type Token, tokensOf } from './tokens.ts'

/** An expression as it was read. `#` within a predicate is the item that it looks at. */
export type Node =
  | { is: 'value'; value: unknown }
  | { is: 'name'; name: string }
  | { is: 'item' }
  | { is: 'list'; items: Node[] }
  | { is: 'map'; entries: [key: Node, value: Node][] }
  | { is: 'member'; of: Node; name: Node /** `?.` */; lenient: boolean }
  | { is: 'slice'; of: Node; from: Node | null; to: Node | null }
  | { is: 'call'; name: string; args: Node[] }
  | { is: 'unary'; sign: string; of: Node }
  | { is: 'binary'; sign: string; left: Node; right: Node }
  | { is: 'choice'; when: Node; yes: Node; no: Node }
  | { is: 'let'; name: string; value: Node; rest: Node }

/** Levels of an expression: whoever walks it must not run out of stack. */
const deepest = 100
/** Operators, and steps of paths, of one expression: each may be a level too. */
const mostLinks = 1000

/** How tightly operators bind. */
const strength: Readonly<Record<string, number>> = {
  '|': 1,
  or: 2,
  '||': 2,
  and: 3,
  '&&': 3,
  '==': 4,
  '!=': 4,
  '<': 4,
  '>': 4,
  '<=': 4,
  '>=': 4,
  in: 4,
  'not in': 4,
  matches: 4,
  contains: 4,
  startsWith: 4,
  endsWith: 4,
  '..': 5,
  '+': 6,
  '-': 6,
  '*': 7,
  '/': 7,
  '%': 7,
  '**': 9,
  '^': 9,
  '??': 10,
}
/** A minus takes powers alone with it, `not` products too. */
const [ofSign, ofNot] = [8, 6]

const words = new Set(['true', 'false', 'nil', 'null', 'not', 'and', 'or', 'in', 'let', 'matches', 'contains'])

/** Reads an expression of the language `expr`; `functions` are those that it may call. Throws what is wrong with it. */
export function read(text: string, functions: ReadonlySet<string>): Node {
  const tokens = tokensOf(text)
  let next = 0
  let depth = 0
  let links = 0
  const now = (): Token => tokens[next]!
  const is = (...values: string[]) =>
    (now().kind === 'name' || now().kind === 'sign') && values.includes(`${now().value}`)
  const took = (value: string) => is(value) && ++next > 0
  const wrong = (what: string): never => {
    const { kind, value, at } = now()
    throw new Error(
      kind === 'end'
        ? `it ends where ${what} is due`
        : `"${value}" stands at character ${at + 1}, where ${what} is due`,
    )
  }
  const must = (value: string) => took(value) || wrong(`"${value}"`)

  function whole(): Node {
    if (!took('let')) return choice()
    const name = identifier()
    must('=')
    const value = choice()
    must(';')
    return { is: 'let', name, value, rest: deeper(whole) }
  }

  function deeper<T>(work: () => T): T {
    if (++depth > deepest) throw new Error('it is nested too deep')
    const made = work()
    depth--
    return made
  }

  function link(): void {
    if (++links > mostLinks) throw new Error(`it has more than ${mostLinks} operators and members`)
  }

  function choice(): Node {
    const when = binary(0)
    if (!took('?')) return when
    const yes = deeper(choice)
    must(':')
    return { is: 'choice', when, yes, no: deeper(choice) }
  }

  function operator(): string | null {
    if (is('not') && tokens[next + 1]?.value === 'in') return 'not in'
    const { kind, value } = now()
    return (kind === 'name' || kind === 'sign') && Object.hasOwn(strength, value) ? value : null
  }

  function binary(least: number): Node {
    let left = unary()
    for (let sign = operator(); sign && strength[sign]! > least; sign = operator()) {
      const at = strength[sign]!
      link()
      next += sign === 'not in' ? 2 : 1
      if (sign === '|') left = piped(left)
      else {
        // Powers are taken from the right.
        const right = deeper(() => binary(sign === '**' || sign === '^' ? at - 1 : at))
        left = { is: 'binary', sign, left, right }
      }
    }
    return left
  }

  /** `x | f(y)` is `f(x, y)`. */
  function piped(first: Node): Node {
    const name = identifier()
    if (!functions.has(name)) throw new Error(`there is no function "${name}"`)
    return after({ is: 'call', name, args: [first, ...(took('(') ? list(')') : [])] })
  }

  function unary(): Node {
    const sign = ['-', '+', '!', 'not'].find((one) => is(one))
    if (!sign) return after(single())
    next++
    return { is: 'unary', sign, of: deeper(() => binary(sign === 'not' || sign === '!' ? ofNot : ofSign)) }
  }

  function single(): Node {
    const token = now()
    if (token.kind === 'number' || token.kind === 'text') {
      next++
      return { is: 'value', value: token.value }
    }
    if (took('(')) return closed(deeper(whole), ')')
    if (took('[')) return { is: 'list', items: list(']') }
    if (took('#')) return took('index') ? { is: 'name', name: '#index' } : { is: 'item' }
    // Within a predicate, `.name` is a member of the item.
    if (took('.')) return member({ is: 'item' }, identifier(), false)
    if (took('{')) return map()
    if (took('true')) return { is: 'value', value: true }
    if (took('false')) return { is: 'value', value: false }
    if (took('nil') || took('null')) return { is: 'value', value: null }
    const name = identifier()
    if (!took('(')) return { is: 'name', name }
    if (!functions.has(name)) throw new Error(`there is no function "${name}"`)
    return { is: 'call', name, args: list(')') }
  }

  const member = (of: Node, name: string, lenient: boolean): Node => ({
    is: 'member',
    of,
    name: { is: 'value', value: name },
    lenient,
  })

  function closed(node: Node, sign: string): Node {
    must(sign)
    return node
  }

  function after(node: Node): Node {
    let made = node
    for (; ; link()) {
      if (took('.')) made = member(made, identifier(true), false)
      else if (took('?.'))
        made = took('[') ? ({ ...index(made), lenient: true } as Node) : member(made, identifier(true), true)
      else if (took('[')) made = index(made)
      else return made
    }
  }

  function index(of: Node): Node {
    const from = is(':') ? null : deeper(choice)
    if (!took(':')) return closed({ is: 'member', of, name: from!, lenient: false }, ']')
    const to = is(']') ? null : deeper(choice)
    return closed({ is: 'slice', of, from, to }, ']')
  }

  /** What stands between commas, up to a sign. A predicate may stand in braces. */
  function list(end: string): Node[] {
    const items: Node[] = []
    while (!took(end)) {
      const braces = end === ')' && is('{') && !isMap()
      if (braces) next++
      items.push(deeper(whole))
      if (braces) must('}')
      if (!took(',') && !is(end)) wrong(`"${end}"`)
    }
    return items
  }

  const isMap = () =>
    tokens[next + 1]?.value === '}' || (tokens[next + 2]?.value === ':' && tokens[next + 1]?.value !== '#')

  function map(): Node {
    const entries: [Node, Node][] = []
    while (!took('}')) {
      const key = took('(') ? closed(deeper(choice), ')') : plainKey()
      must(':')
      entries.push([key, deeper(choice)])
      if (!took(',') && !is('}')) wrong('"}"')
    }
    return { is: 'map', entries }
  }

  function plainKey(): Node {
    const { kind, value } = now()
    if (kind === 'sign' || kind === 'end') return wrong('a name')
    next++
    return { is: 'value', value: `${value}` }
  }

  function identifier(ofMember = false): string {
    const { kind, value } = now()
    if (kind !== 'name' || (!ofMember && words.has(value))) return wrong('a name')
    next++
    return value
  }

  const made = whole()
  return now().kind === 'end' ? made : wrong('the end')
}
