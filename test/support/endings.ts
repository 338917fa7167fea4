import { afterEach } from 'vitest'

const endings: (() => unknown)[] = []
afterEach(async () => {
  for (const end of endings.splice(0).reverse()) await end()
})

/** Does this when the test ends, the last first. */
export const ending = (end: () => unknown): void => void endings.push(end)
