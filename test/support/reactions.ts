import type { FactName } from '#contract/entries'
import type { App } from '#kernel/app'

/** Has one more reaction to this fact, after all others, which fails. */
export function failOn({ reactor }: App, fact: FactName): void {
  const run = () => {
    throw new Error(`The last reaction to ${fact} fails`)
  }
  reactor.connect([...reactor.wires, { feature: 'test', fact, phase: 'on', writes: [], run }])
}
