import {
  type CelInput,
  CelScalar,
  celEnv,
  celFunc,
  isCelError,
  isCelList,
  isCelMap,
  isCelUint,
  parse,
  plan,
} from '@bufbuild/cel'
import { RE2JS } from 're2js'
import { exprExpression } from '../expr/reckoning.ts'
import { isDeepExpression } from './depth.ts'

type Parsed = ReturnType<typeof parse>
type Expr = NonNullable<Parsed['expr']>

/** How much work an expression may be: about a third of a second. */
const workLimit = 2_000_000
/** Levels of an expression: whoever walks it must not run out of stack. */
const deepest = 300
/** Characters of texts, which are looked at much faster than nodes of expressions. */
const perUnit = 16
/** Most characters of a pattern, whose reading takes long. */
const longestPattern = 1000
/** Most characters of a result, as JSON. */
const resultLimit = 262_144

let work = 0
function charge(amount: number): void {
  work += amount
  if (work > workLimit) throw new Error('The expression takes too long')
}

const tick = celFunc('@tick', [CelScalar.INT, CelScalar.BOOL], CelScalar.BOOL, (nodes, goesOn) => {
  charge(Number(nodes))
  return goesOn
})
/** Passes on what a function is called with, whose work grows with it. */
const weigh = celFunc('@weigh', [CelScalar.DYN], CelScalar.DYN, (value) => {
  weighed(value, true)
  return value
})
/** The same for what joins lists, which it does not look at. */
const weighText = celFunc('@weighText', [CelScalar.DYN], CelScalar.DYN, (value) => {
  weighed(value, false)
  return value
})

function weighed(value: unknown, within: boolean): void {
  if (typeof value === 'string' || value instanceof Uint8Array) charge(1 + value.length / perUnit)
  else if (within && isCelList(value)) for (const one of value) weighed(one, within)
  else if (within && isCelMap(value))
    for (const [key, one] of value) {
      weighed(key, within)
      weighed(one, within)
    }
  else charge(1)
}

const re2 = {
  compile(pattern: string) {
    if (pattern.length > longestPattern) throw new Error(`A pattern has at most ${longestPattern} characters`)
    charge(pattern.length * 100)
    const compiled = RE2JS.compile(pattern)
    const size = 1 + compiled.programSize()
    return {
      test(text: string): boolean {
        charge((text.length * size) / 2)
        return compiled.matcher(text).find()
      },
    }
  },
}
/** Characters that are read in the daemon's own thread, which takes some 40 ms; more go to another one. */
const mostHere = 20_000

const env = celEnv({ funcs: [tick, weigh, weighText], re2 })

export type Language = 'cel' | 'expr'

/** An expression of a definition, and where it stands there. */
export interface Written {
  path: string
  text: string
  language: Language
}

/** Whether reading these expressions would hold up the daemon. */
export const takesLong = (texts: readonly string[]): boolean =>
  texts.reduce((sum, { length }) => sum + length, 0) > mostHere

/** What is wrong with expressions, by where they stand. */
export const expressionFlaws = (list: readonly Written[]): { path: string; message: string }[] =>
  list.flatMap(({ path, text, language }) => {
    const message = compileFlaw(() => expression(text, language))
    return message ? [{ path, message }] : []
  })

/** Why a text cannot be compiled; empty when it can. */
export function compileFlaw(compile: () => unknown): string {
  try {
    compile()
    return ''
  } catch (error) {
    return `cannot be read: ${(error as Error).message.replace(/^<input>:/, '')}`
  }
}

export type Evaluate = (values: Readonly<Record<string, unknown>>) => unknown

const known = new Map<string, Evaluate>()
let keptCharacters = 0
/** Characters of the expressions that are kept once read: those of loops are evaluated again and again. */
const mostKept = 500_000

/** An expression, whose work is counted when it is evaluated. Throws what is wrong with it, in words. */
export function expression(text: string, language: Language = 'cel'): Evaluate {
  const key = `${language} ${text}`
  const before = known.get(key)
  if (before) return before
  const made = language === 'cel' ? compiled(text) : exprExpression(text)
  if (keptCharacters + text.length > mostKept) {
    known.clear()
    keptCharacters = 0
  }
  known.set(key, made)
  keptCharacters += text.length
  return made
}

function compiled(text: string): Evaluate {
  if (isDeepExpression(text)) throw new Error('it is nested too deep')
  const parsed = parse(text)
  if (parsed.expr) countWork(parsed.expr)
  const evaluate = plan(env, parsed)
  return (values) => {
    work = 0
    const read = Object.entries(values).map(([name, value]) => [name, readable(value)] as const)
    const found = evaluate(Object.fromEntries(read) as Record<string, CelInput>)
    // What an error of a part comes to is decided by what stands around it, but for this one.
    charge(0)
    if (isCelError(found)) throw new Error(found.message)
    return plain(found)
  }
}

/** What does not take longer for larger values: everything else is weighed. */
const quick = new Set(['_&&_', '_||_', '!_', '_?_:_', '_[_]', '@not_strictly_false', '-_', '_-_', '_*_', '_/_', '_%_'])

/** Lets an expression count its work: the nodes of each loop's body, and what functions are called with. */
function countWork(expr: Expr, depth = 1): number {
  if (depth > deepest) throw new Error('it is nested too deep')
  const { exprKind: kind } = expr
  const all = (list: readonly (Expr | undefined)[]) =>
    list.reduce((sum, it) => sum + (it ? countWork(it, depth + 1) : 0), 1)
  switch (kind.case) {
    case 'selectExpr':
      return all([kind.value.operand])
    case 'callExpr': {
      const { target, args, function: name } = kind.value
      const nodes = all([target, ...args])
      if (quick.has(name)) return nodes
      const by = name === '_+_' ? '@weighText' : '@weigh'
      kind.value.args = args.map((it) => (it.exprKind.case === 'constExpr' ? it : call(expr.id, by, it)))
      if (target) kind.value.target = call(expr.id, by, target)
      return nodes + 2 * args.length
    }
    case 'listExpr':
      return all(kind.value.elements)
    case 'structExpr':
      return all(
        kind.value.entries.flatMap(({ keyKind, value }) => [
          keyKind.case === 'mapKey' ? keyKind.value : undefined,
          value,
        ]),
      )
    case 'comprehensionExpr': {
      const { iterRange, accuInit, loopCondition, loopStep, result } = kind.value
      const inside = all([loopCondition, loopStep])
      kind.value.loopCondition = call(expr.id, '@tick', constant(expr.id, inside), loopCondition!)
      return inside + all([iterRange, accuInit, result])
    }
    default:
      return 1
  }
}

const call = (id: bigint, name: string, ...args: Expr[]): Expr => ({
  $typeName: 'cel.expr.Expr',
  id,
  exprKind: { case: 'callExpr', value: { $typeName: 'cel.expr.Expr.Call', function: name, args } },
})

const constant = (id: bigint, value: number): Expr => ({
  $typeName: 'cel.expr.Expr',
  id,
  exprKind: {
    case: 'constExpr',
    value: { $typeName: 'cel.expr.Constant', constantKind: { case: 'int64Value', value: BigInt(value) } },
  },
})

/** The members of an object, made readable when they are looked at. CEL would make a map of an object each time. */
class Members extends Map<string, unknown> {
  override get(name: string): unknown {
    const found = super.get(name)
    const made = readable(found)
    if (made !== found) super.set(name, made)
    return made
  }
  override *values(): MapIterator<unknown> {
    for (const name of this.keys()) yield this.get(name)
  }
  override *entries(): MapIterator<[string, unknown]> {
    for (const name of this.keys()) yield [name, this.get(name)]
  }
  override [Symbol.iterator](): MapIterator<[string, unknown]> {
    return this.entries()
  }
}

function readable(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(readable)
  if (typeof value !== 'object' || value === null || value instanceof Map) return value
  return new Members(Object.entries(value))
}

/** A value of CEL as JSON has it. */
function plain(value: unknown): unknown {
  let size = 0
  const count = (amount: number) => {
    size += amount
    if (size > resultLimit) throw new Error(`The result of the expression is larger than ${resultLimit} characters`)
  }
  const convert = (it: unknown, depth: number): unknown => {
    if (depth > 50) throw new Error('The result of the expression is nested too deep')
    count(typeof it === 'string' ? it.length + 2 : 4)
    if (typeof it === 'bigint') return Number(it)
    if (isCelUint(it)) return Number(it.value)
    if (isCelList(it)) return [...it].map((one) => convert(one, depth + 1))
    if (isCelMap(it)) return Object.fromEntries([...it].map(([key, one]) => [String(key), convert(one, depth + 1)]))
    if (it === null || ['string', 'number', 'boolean'].includes(typeof it)) return it
    return String(it)
  }
  return convert(value, 0)
}
