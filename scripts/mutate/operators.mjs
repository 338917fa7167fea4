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
/** What is logged is for operators to read; no test pins it down. */
const logs = /^(?:this\.)?(?:app\.)?#?log\.(?:trace|debug|info|warn|error)$/

/**
 * All mutants of a TypeScript source, in the order of the text: one small fault each, `text` in place of what stands
 * from `start` to `end`; `before` and `after` are the line that it is in. `wrap` is the piece of code that is run
 * either as it is or as `fault` has it; an empty fault leaves a statement out, or returns at the start of a body.
 */
export function mutantsOf(source) {
  const found = []
  visit(parseAst(source, { lang: 'ts' }), null, { source, add: (mutant) => found.push(mutant) })
  return found
    .sort((a, b) => a.start - b.start || a.end - b.end)
    .map((mutant) => ({ ...mutant, ...linesOf(source, mutant) }))
}

/** The starts and ends of the statements that are an expression, outer ones first. */
export function statementsOf(source) {
  const found = []
  const collect = (node) => {
    if (node.type === 'ExpressionStatement' && !node.directive) found.push([node.start, node.end])
    for (const [, child] of childrenOf(node)) collect(child)
  }
  collect(parseAst(source, { lang: 'ts' }))
  return found
}

export const applied = (source, { start, end, text }) => source.slice(0, start) + text + source.slice(end)

function* childrenOf(node) {
  for (const [name, child] of Object.entries(node))
    for (const one of Array.isArray(child) ? child : [child])
      if (one && typeof one === 'object' && typeof one.type === 'string') yield [name, one]
}

function visit(node, parent, to) {
  if (skipped.test(node.type) || isLog(node, to.source)) return
  mutate(node, parent, to)
  for (const [name, child] of childrenOf(node))
    if (!notCode.has(name) || (name === 'key' && node.computed)) visit(child, node, to)
}

const isLog = ({ type, callee }, source) =>
  type === 'CallExpression' && logs.test(source.slice(callee.start, callee.end))

function mutate(node, parent, { source, add }) {
  const { type, start, end } = node
  /** In an expression, this text in place of what stands there. */
  const replace = (from, to, text, of = node) => {
    const fault = source.slice(of.start, from) + text + source.slice(to, of.end)
    add({ start: from, end: to, text, wrap: [of.start, of.end], fault })
  }
  if ((type === 'IfStatement' || type === 'ConditionalExpression') && !/^[!=]==$/.test(node.test.operator))
    replace(node.test.start, node.test.end, `!(${source.slice(node.test.start, node.test.end)})`, node.test)
  else if (type === 'BinaryExpression' && swaps[node.operator]) operator(node, swaps[node.operator], source, add)
  else if (type === 'LogicalExpression') operator(node, logical[node.operator], source, add)
  else if (type === 'ExpressionStatement' && isCall(node.expression) && !isLog(node.expression, source))
    add({ start, end, text: 'void 0', wrap: [start, end], fault: '' })
  else if (type === 'Literal' && parent.type !== 'ExpressionStatement') literal(node, replace)
  else if (type === 'TemplateLiteral') template(node, parent, source, replace)
  else if (
    node.body?.type === 'BlockStatement' &&
    /^(Function|ArrowFunction)/.test(type) &&
    node.body.body.length > 0
  ) {
    const at = node.body.start + 1
    add({ start: at, end: at, text: ' return;', wrap: [at, at], fault: '' })
  }
}

const isCall = (node) =>
  node.type === 'CallExpression' ||
  (/^(Await|Unary|Chain)Expression$/.test(node.type) && isCall(node.argument ?? node.expression))

function operator({ start, end, left, right, operator: old }, fresh, source, add) {
  const at = source.indexOf(old, left.end)
  if (at >= right.start) return
  const [one, other] = [source.slice(start, at), source.slice(at + old.length, end)]
  add({ start: at, end: at + old.length, text: fresh, wrap: [start, end], fault: `(${one}) ${fresh} (${other})` })
}

/**
 * Words for people are not behaviour that a test should pin down: of texts only names and codes change. Of large
 * numbers, a test should tell the magnitude.
 */
function literal({ value, start, end }, replace) {
  if (typeof value === 'boolean') replace(start, end, String(!value))
  else if (typeof value === 'number') replace(start, end, String(value < 100 ? value + 1 : 2 * value))
  else if (typeof value !== 'string') return
  else if (isSql(value)) conditions(value, (from, to, text) => replace(start + 1 + from, start + 1 + to, text))
  else if (!/\s/.test(value)) replace(start, end, value === '' ? "'mutated'" : "''")
}

function template({ quasis }, parent, source, replace) {
  const whole = parent?.type === 'TaggedTemplateExpression' ? parent : undefined
  for (const { start, end } of quasis)
    conditions(source.slice(start, end), (from, to, text) => replace(start + from, start + to, text, whole))
}

const isSql = (text) => /\b(SELECT|INSERT|UPDATE|DELETE|WHERE)\b/.test(text)

/** A condition of a statement that always holds. */
function conditions(text, replace) {
  if (text.search(/\b(WHERE|AND)\b/) < 0) return
  for (const { index, 0: it } of text.matchAll(/(?<=\b(?:WHERE|AND) )[\w.]+ (?:=|<|>|IS) (?:\?|@\w+|NULL|'\w+')/g))
    replace(index, index + it.length, `(${it} OR 1)`)
}

function linesOf(source, mutant) {
  const from = source.lastIndexOf('\n', mutant.start - 1) + 1
  const line = (text) => text.slice(from).split('\n', 1)[0].trim()
  const number = source.slice(0, mutant.start).split('\n').length
  return { line: number, before: line(source), after: line(applied(source, mutant)) }
}
