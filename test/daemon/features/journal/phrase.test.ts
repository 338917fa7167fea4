import { expect, it } from 'vitest'
import type { Entry } from '#contract/entries'
import { createPhraseMatcher } from '../../../../daemon/features/journal/phrase.ts'

const entry = (id: string, summary: string, payload?: Record<string, unknown>) => ({ id, summary, payload }) as Entry

it('finds a phrase in the summary or in the payload of an entry, by its stems', () => {
  const { matches } = createPhraseMatcher()
  const first = entry('j_1', 'Running the Café tests', { steps: ['fetch', 'build'] })
  expect(matches('run the cafe', first)).toBe(true)
  expect(matches('fetching', first)).toBe(true)
  expect(matches('the run', first)).toBe(false)
  expect(matches('tests fetch', first)).toBe(false)
  expect(matches('run OR nothing', first)).toBe(false)
})

it('looks at one entry alone, whichever came before', () => {
  const { matches } = createPhraseMatcher()
  const [first, second] = [entry('j_1', 'apples'), entry('j_2', 'pears')]
  expect(matches('apple', first)).toBe(true)
  expect(matches('apple', second)).toBe(false)
  expect(matches('pear', second)).toBe(true)
  expect(matches('pear', first)).toBe(false)
  expect(matches('null', first)).toBe(false)
})
