import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { titlesOf } from './support/titles.ts'

const root = new URL('..', import.meta.url)
const read = (name: string) => readFileSync(new URL(name, root), 'utf8')

const held = /`(test\/[^`]+\.test\.ts)`(?: "([^"]+)")?/g
const known = new Map<string, ReadonlySet<string>>()

/** The titles of a file and of the suites that it runs. */
function titlesIn(file: string): ReadonlySet<string> {
  const titles = known.get(file) ?? new Set(existsSync(new URL(file, root)) ? allTitles(read(file)) : [])
  known.set(file, titles)
  return titles
}

const suites = /^import .* from '(?:\.\.\/)+(support\/[\w-]+-suite\.ts)'$/gm
const allTitles = (source: string): string[] => [
  ...titlesOf(source),
  ...[...source.matchAll(suites)].flatMap(([, suite]) => [...titlesOf(read(`test/${suite}`))]),
]

/** Rows of the tables of a page: a statement, and what holds it. */
const rowsOf = (page: string) =>
  [...page.matchAll(/^\| (.+?) \| (.+) \|$/gm)]
    .map(([, statement, holders]) => ({ statement: statement!, holders: [...holders!.matchAll(held)] }))
    .filter(({ statement }) => statement !== 'Statement' && !statement.startsWith('---'))

describe.each(readdirSync(new URL('docs/specification', root)))('docs/specification/%s', (name) => {
  const rows = rowsOf(read(`docs/specification/${name}`))

  it('names a test for every statement', () => {
    expect(rows.length).toBeGreaterThan(20)
    expect(rows.filter(({ holders }) => holders.length === 0).map(({ statement }) => statement)).toEqual([])
  })

  it('names tests that there are, by file and title', () => {
    const named = rows.flatMap(({ holders }) => holders.map(([, file, title]) => ({ file: file!, title: title ?? '' })))
    expect(named.filter(({ file, title }) => !titlesIn(file).has(title))).toEqual([])
  })
})

it('a test is known by all titles above it', () => {
  const source = `
    describe.each([1])('a %i', () => {
      describe('b', () => { it('c', () => {}) })
      it.each(['x'])('d %s', (it) => { it.call('e'); it_('e') })
    })
    it.skipIf(true)('f', () => {})
    it.runIf(true).each([1])('g', () => {})`
  expect([...titlesOf(source)]).toEqual(['a %i b c', 'a %i d %s', 'f', 'g'])
})
