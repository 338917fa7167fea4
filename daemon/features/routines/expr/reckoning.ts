import { RE2JS } from 're2js'
import { functions, kindOf, list, num, order, same, shown, text, type Work, weigh } from './functions.ts'
import { type Node, read } from './reading.ts'

/** Work that an expression may be, about a third of a second, and items of a range. */
const [workLimit, rangeLimit] = [2_000_000, 10_000]
/** Most characters of a pattern, and of a result as JSON. */
const [longestPattern, resultLimit] = [1000, 262_144]

/** Names, and the item that a predicate looks at. */
interface Scope {
  names: Readonly<Record<string, unknown>>
  item?: unknown
}

type Test = (item: unknown, index: number) => unknown
type WithTest = (items: unknown[], test: Test, rest: unknown) => unknown

const yes = (name: string, value: unknown): boolean => {
  if (typeof value !== 'boolean') throw new Error(`${name} wants true or false, not ${kindOf(value)}`)
  return value
}

const grouped = (items: unknown[], test: Test): Record<string, unknown[]> => {
  const groups: [string, unknown[]][] = []
  const known = new Map<string, unknown[]>()
  for (const [index, item] of items.entries()) {
    const key = shown(test(item, index))
    if (!known.has(key)) {
      known.set(key, [])
      groups.push([key, known.get(key)!])
    }
    known.get(key)!.push(item)
  }
  return Object.fromEntries(groups)
}

const sortedBy = (items: unknown[], test: Test, rest: unknown): unknown[] => {
  const made = items
    .map((item, index) => ({ item, by: test(item, index) }))
    .sort((a, b) => order('sortBy', a.by, b.by))
    .map(({ item }) => item)
  return rest === 'desc' ? made.reverse() : made
}

/** Functions whose second argument is reckoned for each item of the first. */
const withTests: Readonly<Record<string, WithTest>> = {
  all: (items, test) => items.every((item, index) => yes('all', test(item, index))),
  any: (items, test) => items.some((item, index) => yes('any', test(item, index))),
  none: (items, test) => !items.some((item, index) => yes('none', test(item, index))),
  one: (items, test) => items.filter((item, index) => yes('one', test(item, index))).length === 1,
  filter: (items, test) => items.filter((item, index) => yes('filter', test(item, index))),
  map: (items, test) => items.map(test),
  count: (items, test) => items.filter((item, index) => yes('count', test(item, index))).length,
  find: (items, test) => items.find((item, index) => yes('find', test(item, index))) ?? null,
  findIndex: (items, test) => items.findIndex((item, index) => yes('findIndex', test(item, index))),
  findLast: (items, test) => items.findLast((item, index) => yes('findLast', test(item, index))) ?? null,
  sum: (items, test) => items.reduce<number>((sum, item, index) => sum + num('sum', test(item, index)), 0),
  groupBy: grouped,
  sortBy: sortedBy,
}
/** Those that look at the items themselves without a predicate. */
const testless = new Set(['sum', 'count', 'all', 'any', 'none', 'one'])

const names = new Set([...Object.keys(functions), ...Object.keys(withTests)])

/** An expression of the language `expr`, whose work is counted. Throws what is wrong with it, in words. */
export function exprExpression(source: string): (values: Readonly<Record<string, unknown>>) => unknown {
  const node = read(source, names)
  return (values) => {
    let done = 0
    const charge = (amount: number) => {
      done += amount
      if (done > workLimit) throw new Error('The expression takes too long')
    }
    const found = reckon({ charge }, node, { names: values }) ?? null
    weigh({ charge }, found)
    const json = JSON.stringify(found)
    if (json.length > resultLimit)
      throw new Error(`The result of the expression is larger than ${resultLimit} characters`)
    return JSON.parse(json) as unknown
  }
}

function reckon(work: Work, node: Node, scope: Scope): unknown {
  work.charge(1)
  const of = (one: Node) => reckon(work, one, scope)
  switch (node.is) {
    case 'value':
      return node.value
    case 'item':
      return scope.item
    case 'name':
      return named(node.name, scope)
    case 'list':
      return node.items.map(of)
    case 'map':
      return Object.fromEntries(node.entries.map(([key, value]) => [shown(of(key)), of(value)]))
    case 'member':
      return memberOf(of(node.of), of(node.name), node.lenient)
    case 'slice': {
      const whole = of(node.of)
      const [from, to] = [node.from && num('a slice', of(node.from)), node.to && num('a slice', of(node.to))]
      work.charge(typeof whole === 'string' ? whole.length / 16 : 1)
      return (typeof whole === 'string' ? whole : list('a slice', whole)).slice(from ?? 0, to ?? undefined)
    }
    case 'unary': {
      const value = of(node.of)
      if (node.sign === '!' || node.sign === 'not') return !yes(node.sign, value)
      return node.sign === '-' ? -num('-', value) : num('+', value)
    }
    case 'binary':
      return combined(work, node, of)
    case 'choice':
      return yes('?', of(node.when)) ? of(node.yes) : of(node.no)
    case 'let':
      return reckon(work, node.rest, { ...scope, names: { ...scope.names, [node.name]: of(node.value) } })
    case 'call':
      return called(work, node, scope)
  }
}

function named(name: string, { names: all, item }: Scope): unknown {
  if (Object.hasOwn(all, name)) return all[name]
  // Within a predicate, a name may be a member of the item.
  if (kindOf(item) === 'map' && Object.hasOwn(item as object, name)) return (item as Record<string, unknown>)[name]
  return null
}

function memberOf(of: unknown, name: unknown, lenient: boolean): unknown {
  if (of === null || of === undefined) {
    if (lenient) return null
    throw new Error(`nothing has no ${shown(name)}: ask with ?.`)
  }
  if (Array.isArray(of)) return of.at(num('[ ]', name)) ?? null
  if (typeof of !== 'object') throw new Error(`${kindOf(of)} has no ${shown(name)}`)
  return Object.hasOwn(of, shown(name)) ? (of as Record<string, unknown>)[shown(name)] : null
}

const sums: Readonly<Record<string, (a: number, b: number) => number>> = {
  '-': (a, b) => a - b,
  '*': (a, b) => a * b,
  '/': (a, b) => a / b,
  '%': (a, b) => a % b,
  '**': (a, b) => a ** b,
  '^': (a, b) => a ** b,
}

function combined(work: Work, { sign, left, right }: Node & { is: 'binary' }, of: (one: Node) => unknown): unknown {
  const a = of(left)
  if (sign === '&&' || sign === 'and') return yes(sign, a) && yes(sign, of(right))
  if (sign === '||' || sign === 'or') return yes(sign, a) || yes(sign, of(right))
  if (sign === '??') return a ?? of(right)
  const b = of(right)
  const sum = sums[sign]
  if (sum) return finite(sum(num(sign, a), num(sign, b)))
  switch (sign) {
    case '==':
      return same(work, a, b)
    case '!=':
      return !same(work, a, b)
    case 'in':
      return isIn(work, a, b)
    case 'not in':
      return !isIn(work, a, b)
    case '..':
      return range(work, num('..', a), num('..', b))
    case '+':
      if (typeof a !== 'string' || typeof b !== 'string') return finite(num('+', a) + num('+', b))
      work.charge((a.length + b.length) / 4)
      return a + b
    case 'matches':
      return matches(work, text('matches', a), text('matches', b))
    case 'contains':
      work.charge(text('contains', a).length / 16)
      return text('contains', a).includes(text('contains', b))
    case 'startsWith':
      return text('startsWith', a).startsWith(text('startsWith', b))
    case 'endsWith':
      return text('endsWith', a).endsWith(text('endsWith', b))
  }
  const at = order(sign, a, b)
  return sign === '<' ? at < 0 : sign === '>' ? at > 0 : sign === '<=' ? at <= 0 : at >= 0
}

function finite(value: number): number {
  if (!Number.isFinite(value)) throw new Error('the result is no number: something is divided by 0, or too large')
  return value
}

function isIn(work: Work, one: unknown, all: unknown): boolean {
  if (Array.isArray(all)) return all.some((other) => same(work, one, other))
  if (kindOf(all) === 'map') return Object.hasOwn(all as object, shown(one))
  if (all === null || all === undefined) return false
  throw new Error(`in wants a list or a map, not ${kindOf(all)}`)
}

function range(work: Work, from: number, to: number): number[] {
  const size = Math.max(0, Math.trunc(to - from) + 1)
  if (size > rangeLimit) throw new Error(`a range has at most ${rangeLimit} items`)
  work.charge(size)
  return Array.from({ length: size }, (_, at) => from + at)
}

/** Patterns are tried in a time that grows with the text alone. */
function matches(work: Work, value: string, pattern: string): boolean {
  if (pattern.length > longestPattern) throw new Error(`A pattern has at most ${longestPattern} characters`)
  work.charge(pattern.length * 100)
  const compiled = RE2JS.compile(pattern)
  work.charge((value.length * (1 + compiled.programSize())) / 2)
  return compiled.matcher(value).find()
}

function called(work: Work, { name, args }: Node & { is: 'call' }, scope: Scope): unknown {
  const withTest = withTests[name]
  const [first, second, third] = args
  if (!withTest) {
    const given = args.map((one) => reckon(work, one, scope))
    for (const one of given) weigh(work, one)
    return functions[name]!(work, ...given)
  }
  if (!first || (!second && !testless.has(name))) throw new Error(`${name} wants a list and what is asked of each item`)
  const items = list(name, reckon(work, first, scope))
  const test: Test = second
    ? (item, index) => reckon(work, second, { item, names: { ...scope.names, '#index': index } })
    : (item) => item
  work.charge(items.length)
  return withTest(items, test, third && reckon(work, third, scope))
}
