import { expect, it } from 'vitest'
import { daemon } from '#test'
import { rawEntry } from '../../../support/raw-entry.ts'

it.each([
  ['two\nlines', 'two lines'],
  ['red \u001b[31mtext\u001b[0m here', 'red [31mtext [0m here'],
  ['a\ttab', 'a tab'],
  ['one\u2028line', 'one line'],
  ['turned \u202egnuor\u202c', 'turned gnuor'],
  ['held \u2066apart\u2069 \u200fhere', 'held apart here'],
  ['half \ud83d a sign', 'half  a sign'],
  ['a family: \u{1f468}\u200d\u{1f469}', 'a family: \u{1f468}\u200d\u{1f469}'],
])('keeps %j as one line that shows what it says', async (summary, kept) => {
  const { app, workspace, entries } = await daemon()
  app.writeNow(() => rawEntry(app, { workspace_id: workspace, type: 'agent.error', summary, actor_type: 'system' }))
  expect(entries().map((entry) => entry.summary)).toEqual([kept])
})
