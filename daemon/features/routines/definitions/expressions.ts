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

type Parsed = ReturnType<typeof parse>
type Expr = NonNullable<Parsed['expr']>

/** How much work an expression may be: nodes that are visited in loops, characters that patterns are tried on. */
const workLimit = 2_000_000
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
const re2 = {
  compile(pattern: string) {
    const compiled = RE2JS.compile(pattern)
    return {
      test(text: string): boolean {
        charge(text.length)
        return compiled.matcher(text).find()
      },
    }
  },
}
const env = celEnv({ funcs: [tick], re2 })

export type Evaluate = (values: Readonly<Record<string, unknown>>) => unknown

/** Reads a CEL expression, whose loops are counted when it is evaluated. Throws what is wrong with it, in words. */
export function expression(text: string): Evaluate {
  const parsed = parse(text)
  if (parsed.expr) countLoops(parsed.expr)
  const evaluate = plan(env, parsed)
  return (values) => {
    work = 0
    const found = evaluate(values as Record<string, CelInput>)
    if (isCelError(found)) throw new Error(found.message)
    return plain(found)
  }
}

/** Lets each loop of an expression count the nodes of its body. Returns the number of nodes. */
function countLoops(expr: Expr): number {
  const { exprKind: kind } = expr
  const all = (list: readonly (Expr | undefined)[]) => list.reduce((sum, it) => sum + (it ? countLoops(it) : 0), 1)
  switch (kind.case) {
    case 'selectExpr':
      return all([kind.value.operand])
    case 'callExpr':
      return all([kind.value.target, ...kind.value.args])
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
      kind.value.loopCondition = ticking(expr.id, inside, loopCondition!)
      return inside + all([iterRange, accuInit, result])
    }
    default:
      return 1
  }
}

const ticking = (id: bigint, nodes: number, condition: Expr): Expr => ({
  $typeName: 'cel.expr.Expr',
  id,
  exprKind: {
    case: 'callExpr',
    value: { $typeName: 'cel.expr.Expr.Call', function: '@tick', args: [constant(id, nodes), condition] },
  },
})

const constant = (id: bigint, value: number): Expr => ({
  $typeName: 'cel.expr.Expr',
  id,
  exprKind: {
    case: 'constExpr',
    value: { $typeName: 'cel.expr.Constant', constantKind: { case: 'int64Value', value: BigInt(value) } },
  },
})

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
