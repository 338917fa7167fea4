import { wiring } from '#kernel/dispatch'
import type { Wire } from '#kernel/facts'
import { features } from './features/index.ts'

/** Prints each reaction on a line, by fact: phase, feature, and the facts that it may record. */
export function printWiring(wires: readonly Wire[] = wiring(features)): string {
  const facts = [...new Set(wires.map(({ fact }) => fact))].sort()
  const line = ({ phase, feature, writes }: Wire) =>
    `  ${phase.padEnd(5)}  ${feature}${writes.length ? ` -> ${writes.join(', ')}` : ''}\n`
  return facts
    .map((fact) => {
      const mine = wires.filter((wire) => wire.fact === fact)
      const inOrder = [...mine.filter(({ phase }) => phase === 'on'), ...mine.filter(({ phase }) => phase === 'after')]
      return `${fact}\n${inOrder.map(line).join('')}`
    })
    .join('\n')
}
