import { expect, it } from 'vitest'
import { folded } from '../../../cli/output/fold.ts'
import { detail } from '../../../cli/output/table.ts'
import { painter } from '../../../cli/output/theme.ts'

it.each([
  ['one two three', 20, {}, 'one two three'],
  ['one two three', 7, {}, 'one two\nthree'],
  ['one two three', 9, { taken: 4 }, 'one\ntwo three'],
  ['one two three four', 9, { indent: '  ' }, 'one two\n  three\n  four'],
  ['a averyveryverylongword b', 8, {}, 'a\naveryveryverylongword\nb'],
  ['', 5, {}, ''],
  ['whole and unfolded', Number.POSITIVE_INFINITY, {}, 'whole and unfolded'],
])('%j within %d columns', (text, width, fold, expected) => expect(folded(text, width, fold)).toBe(expected))

it('folds the values of a detail beside their names', () => {
  const row = { error: 'The model service is overloaded: try again', name: 'ada' }
  const columns = { Error: (it: typeof row) => it.error, Agent: (it: typeof row) => it.name }
  expect(detail(row, columns, { paint: painter(false), width: 30 })).toBe(
    'Error  The model service is\n       overloaded: try again\nAgent  ada\n',
  )
  expect(detail(row, columns, { paint: painter(false) })).toContain('overloaded: try again\nAgent')
})
