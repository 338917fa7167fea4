import { parseAst } from 'vitest/node'

interface Node {
  type: string
  name?: string
  value?: unknown
  callee?: Node
  object?: Node
  property?: Node
  arguments?: Node[]
}

/** The titles of all tests in a source, each after those of what it stands in: as `vitest -t` takes them. */
export function titlesOf(source: string): Set<string> {
  const found = new Set<string>()
  collect(parseAst(source, { lang: 'ts' }) as unknown as Node, [], found)
  return found
}

function collect(node: Node, above: string[], found: Set<string>): void {
  const word = node.type === 'CallExpression' ? wordOf(node.callee!) : undefined
  const title = node.arguments?.[0]?.value
  const isTitled = typeof title === 'string' && (word === 'it' || word === 'describe')
  const titles = isTitled ? [...above, title] : above
  if (isTitled && word === 'it') found.add(titles.join(' '))
  for (const child of childrenOf(node)) collect(child, titles, found)
}

/** `it` of `it(…)`, `it.each(…)(…)` and `it.skipIf(…)(…)`: many a test has a value of this name. */
function wordOf({ type, name, callee, object, property }: Node): string | undefined {
  if (type === 'Identifier') return name
  if (type === 'CallExpression') return wordOf(callee!)
  return tables.has(property?.name ?? '') ? wordOf(object!) : undefined
}
const tables = new Set(['each', 'skipIf', 'runIf'])

const childrenOf = (node: Node): Node[] =>
  Object.values(node)
    .flat()
    .filter((it): it is Node => typeof it?.type === 'string')
