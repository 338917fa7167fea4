import { parseAst } from 'vitest/node'

const swaps = {
  '===': '!==',
  '!==': '===',
  '<': '<=',
  '<=': '<',
  '>': '>=',
  '>=': '>',
  '+': '-',
  '-': '+',
  '*': '/',
  '/': '*',
  '%': '*',
}
const logical = { '&&': '||', '||': '&&', '??': '&&' }

/** What these hold is no behaviour, or breaks the compiler's rules and not the program's. */
const skipped = /^(TS(?!AsExpression|NonNullExpression|SatisfiesExpression)|Import|ExportAll|Decorator)/
const notCode = new Set(['key', 'source', 'typeAnnotation', 'typeArguments', 'typeParameters', 'returnType'])

/**
 * All mutants of a TypeScript source, in the order of the text: one small fault each, `text` in place of what stands
 * from
 * `start` to `end`; `before` and `after` are the line that it is in.
 */
export function mutantsOf(source) {
  const found = []
  const add = (start, end, text) => found.push({ start, end, text })
  visit(parseAst(source, { lang: 'ts' }), source, add)
  return found
    .sort((a, b) => a.start - b.start || a.end - b.end)
    .map((mutant) => ({ ...mutant, ...linesOf(source, mutant) }))
}

export const applied = (source, { start, end, text }) => source.slice(0, start) + text + source.slice(end)

function visit(node, source, add) {
  if (skipped.test(node.type)) return
  mutate(node, source, add)
  for (const [name, child] of Object.entries(node)) {
    if (notCode.has(name) && !(name === 'key' && node.computed)) continue
    for (const one of Array.isArray(child) ? child : [child])
      if (one && typeof one === 'object' && typeof one.type === 'string') visit(one, source, add)
  }
}

function mutate(node, source, add) {
  const { type, start, end } = node
  if ((type === 'IfStatement' || type === 'ConditionalExpression') && !/^[!=]==$/.test(node.test.operator))
    add(node.test.start, node.test.end, `!(${source.slice(node.test.start, node.test.end)})`)
  else if (type === 'BinaryExpression' && swaps[node.operator]) operator(node, swaps[node.operator], source, add)
  else if (type === 'LogicalExpression') operator(node, logical[node.operator], source, add)
  else if (type === 'ExpressionStatement' && isCall(node.expression)) add(start, end, 'void 0')
  else if (type === 'Literal') literal(node, source, add)
  else if (type === 'TemplateElement') condition(source, start, end, add)
  else if (node.body?.type === 'BlockStatement' && /^(Function|ArrowFunction)/.test(type) && node.body.body.length > 0)
    add(node.body.start + 1, node.body.start + 1, ' return;')
}

const isCall = (node) =>
  node.type === 'CallExpression' ||
  (/^(Await|Unary|Chain)Expression$/.test(node.type) && isCall(node.argument ?? node.expression))

function operator({ left, right, operator: old }, fresh, source, add) {
  const at = source.indexOf(old, left.end)
  if (at < right.start) add(at, at + old.length, fresh)
}

/** Words for people are not behaviour that a test should pin down: of texts only names and codes change. */
function literal({ value, start, end }, source, add) {
  if (typeof value === 'boolean') add(start, end, String(!value))
  else if (typeof value === 'number') add(start, end, String(value + 1))
  else if (typeof value !== 'string') return
  else if (isSql(value)) condition(source, start, end, add)
  else if (!/\s/.test(value)) add(start, end, value === '' ? "'mutated'" : "''")
}

const isSql = (text) => /\b(SELECT|INSERT|UPDATE|DELETE|WHERE)\b/.test(text)

/** A condition of a statement that always holds. */
function condition(source, start, end, add) {
  const text = source.slice(start, end)
  const where = text.search(/\b(WHERE|AND)\b/)
  if (where < 0) return
  for (const { index, 0: it } of text.matchAll(/(?<=\b(?:WHERE|AND) )[\w.]+ (?:=|<|>|IS) (?:\?|@\w+|NULL|'\w+')/g))
    add(start + index, start + index + it.length, `(${it} OR 1)`)
}

function linesOf(source, mutant) {
  const from = source.lastIndexOf('\n', mutant.start - 1) + 1
  const line = (text) => text.slice(from).split('\n', 1)[0].trim()
  const number = source.slice(0, mutant.start).split('\n').length
  return { line: number, before: line(source), after: line(applied(source, mutant)) }
}
