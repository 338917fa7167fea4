import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { settings } from '#kernel/settings'
import { resolve } from '../cli/resolve.ts'
import { vendorSettings } from '../daemon/vendor-settings.ts'
import { known } from './support/typed.ts'

const root = new URL('..', import.meta.url)
const read = (name: string) => readFileSync(new URL(name, root), 'utf8')
const pages = [
  'README.md',
  'CHANGELOG.md',
  'SECURITY.md',
  'CONTRIBUTING.md',
  'ARCHITECTURE.md',
  ...readdirSync(new URL('docs', root), { recursive: true, encoding: 'utf8' }).map((name) => `docs/${name}`),
].filter((name) => name.endsWith('.md'))
const scripts = (JSON.parse(read('package.json')) as { scripts: Record<string, string> }).scripts

const isCommand = (words: string[]) => resolve(words, known).kind !== 'unknown'

describe.each(pages)('%s', (page) => {
  const text = read(page)
  // Only what stands in a code block or between backticks is a promise of a command.
  const code = [...text.matchAll(/```[a-z]*\n([\s\S]*?)```/g), ...text.matchAll(/`([^`\n]+)`/g)]
    .map((match) => match[1]!)
    .join('\n')

  it('names commands that there are', () => {
    const named = [...code.matchAll(/(?:^|[$|(] *)muster ((?!up\b)[a-z-]+(?: [a-z][a-z-]*)?)/gm)].map((match) =>
      match[1]!.split(' '),
    )
    expect(named.filter((words) => !isCommand(words)).map((words) => words.join(' '))).toEqual([])
  })

  it('holds nothing that a merge left behind', () => expect(text).not.toMatch(/^(<<<<<<<|=======|>>>>>>>)/m))

  it('names scripts that there are', () => {
    const named = [...code.matchAll(/npm run ([a-z-]+)/g)].map((match) => match[1]!)
    expect(named.filter((name) => !scripts[name])).toEqual([])
  })

  it('links to files that there are', () => {
    const linked = [...text.matchAll(/\]\((?!https?:)([^)#]+)/g)].map(
      (match) => new URL(match[1]!, new URL(page, root)),
    )
    expect(linked.filter((url) => !existsSync(url)).map(String)).toEqual([])
  })
})

it('the conventions of the command line name tests that there are, 35 rules in order', () => {
  const text = read('docs/cli-conventions.md')
  const rules = [...text.matchAll(/^\| (\d+) \|.*`((?:test|bench)\/[^`]+)`/gm)]
  expect(rules.map((rule) => Number(rule[1]))).toEqual(Array.from({ length: 35 }, (_, at) => at + 1))
  const named = [...text.matchAll(/`((?:test|bench)\/[^`]+)`/g)].map((match) => match[1]!)
  expect(named.filter((path) => !existsSync(new URL(path, root)))).toEqual([])
})

describe('the table of settings', () => {
  const rows = [
    ...read('docs/operating.md').matchAll(/^\| (`[a-z_.]+`(?:, `[a-z_.]+`)*) \| (`[A-Z_]+`(?:, `[A-Z_]+`)*)? ?\|/gm),
  ]
  const names = (cell: string | undefined) => [...(cell ?? '').matchAll(/`([^`]+)`/g)].map((match) => match[1]!)

  it('has settings and variables as the daemon has them', () => {
    const known = new Map<string, string>(
      [...Object.values(settings), ...vendorSettings].map(({ path, env }) => [path, env]),
    )
    const said = rows.flatMap(([, paths, variables]) =>
      names(paths).map((path, index) => [path, names(variables)[index]]),
    )
    expect(said.length).toBeGreaterThan(10)
    expect(said.filter(([path, variable]) => known.get(path!) !== variable)).toEqual([])
  })
})

describe('what SECURITY.md claims to hold', () => {
  const table = read('SECURITY.md').split('## What holds them')[1]!.split('\n## ')[0]!
  const rows = [...table.matchAll(/^\| (.+?) \| (.+?) \| (.+) \|$/gm)].filter(
    ([, attack]) => attack !== 'Attack' && !attack!.startsWith('---'),
  )

  it('has a test for every attack', () => {
    expect(rows.length).toBeGreaterThan(20)
    const tested = (cell: string) => [...cell.matchAll(/\]\((test\/[^)]+\.test\.ts)\)/g)].length
    expect(rows.filter((row) => tested(row[3]!) === 0).map((row) => row[1])).toEqual([])
  })

  it('names every attack of the suite', () => {
    const files = readdirSync(new URL('test/attack', root)).filter((name) => name.endsWith('.test.ts'))
    expect(files.filter((name) => !table.includes(`test/attack/${name}`))).toEqual([])
  })
})
