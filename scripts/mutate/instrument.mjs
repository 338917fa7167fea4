import { statementsOf } from './operators.mjs'

/**
 * The source with all its mutants in it at once: at each of them it asks `__mutant(number)` whether it is the one that
 * is planted, so that the same loaded code serves for all.
 */
export function instrumented(source, mutants, first) {
  const insertions = []
  const around = (start, end, open, close) => insertions.push({ start, end, open, close, order: insertions.length })
  // Braces keep a statement apart from the line above, which may have no semicolon.
  for (const [start, end] of statementsOf(source)) around(start, end, '{', '}')
  mutants.forEach(({ wrap: [start, end], fault }, index) => {
    const planted = `__mutant(${first + index})`
    if (fault) around(start, end, `(${planted}?(${fault}):`, ')')
    else if (start === end) around(start, end, `if(${planted})return;`, '')
    else around(start, end, `if(!${planted}){`, '}')
  })
  const opens = insertions.toSorted((a, b) => a.start - b.start || b.end - a.end || a.order - b.order)
  const closes = insertions.toSorted((a, b) => a.end - b.end || b.start - a.start || b.order - a.order)
  const parts = [
    ...closes.map(({ end: at, close: text }, rank) => ({ at, side: 0, rank, text })),
    ...opens.map(({ start: at, open: text }, rank) => ({ at, side: 1, rank, text })),
  ].sort((a, b) => a.at - b.at || a.side - b.side || a.rank - b.rank)
  let [result, from] = ['', 0]
  for (const { at, text } of parts) {
    result += source.slice(from, at) + text
    from = at
  }
  return result + source.slice(from)
}
