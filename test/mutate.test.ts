import { describe, expect, it } from 'vitest'

interface Mutant {
  line: number
  before: string
  after: string
}
const load = (name: string) => import(new URL(`../scripts/mutate/${name}.mjs`, import.meta.url).href)
const { mutantsOf } = (await load('operators')) as { mutantsOf(source: string): Mutant[] }
const { instrumented } = (await load('instrument')) as {
  instrumented(source: string, mutants: Mutant[], first: number): string
}
const { filesOfAreas, sampled } = (await load('choice')) as {
  filesOfAreas(): Map<string, string[]>
  sampled(from: number[], count: number, word: string): number[]
}
const { keyOf, readKnown } = (await load('known')) as {
  keyOf(mutant: Pick<Mutant, 'before' | 'after'>): string
  readKnown(path: URL): Map<string, Set<string>>
}

const changes = (source: string) => mutantsOf(source).map(({ after }) => after)

describe('a mutant', () => {
  it.each<[string, string, string[]]>([
    ['a condition negated', 'if (a) b', ['if (!(a)) b']],
    ['a comparison changed', 'if (a === b) c', ['if (a !== b) c']],
    ['a bound moved', 'const a = b < c', ['const a = b <= c']],
    ['and for or', 'const a = b && c', ['const a = b || c']],
    ['a call left out', 'close(it)', ['void 0']],
    ['a call left out that is waited for', 'await close(it)', ['void 0']],
    ['an early return', 'function a() { let b }', ['function a() { return; let b }']],
    ['another number', 'const a = 5', ['const a = 6']],
    ['another magnitude', 'const a = 60_000', ['const a = 120000']],
    ['another name', "const a = 'b'", ["const a = ''"]],
    ['the other truth', 'const a = true', ['const a = false']],
    [
      'a condition of a statement that always holds',
      "const a = 'SELECT 1 FROM t WHERE w = ? AND id = @id'",
      [
        "const a = 'SELECT 1 FROM t WHERE (w = ? OR 1) AND id = @id'",
        "const a = 'SELECT 1 FROM t WHERE w = ? AND (id = @id OR 1)'",
      ],
    ],
  ])('is %s', (_, source, expected) => expect(changes(source)).toEqual(expected))

  it.each([
    "import { a } from 'b'",
    "type A = 'b' | 5",
    'interface A { b: true }',
    "const a = { 'b-c': d }",
    "const a = 'words for people'",
    'const a = b as C<5>',
    "app.log.warn({ a: b === 5 }, 'late')",
    "'use strict'",
  ])('is not made of %s', (source) => expect(changes(source)).toEqual([]))

  it('is known by its line', () => {
    expect(mutantsOf('\n  if (a) b\n')).toMatchObject([{ line: 2, before: 'if (a) b', after: 'if (!(a)) b' }])
  })
})

describe('code with all mutants in it', () => {
  const source = `function few(list, n) {
    list.push(n)
    n < 3 && list.push(0)
    return n < 3 ? 'few' : 'many'
  }`
  const code = instrumented(source, mutantsOf(source), 100)
  it.each<[number, string, unknown[], string | undefined]>([
    [-1, 'none', [3], 'many'],
    [100, 'an early return', [], undefined],
    [101, 'a call left out', [], 'many'],
    [102, 'a bound moved in the first comparison', [3, 0], 'many'],
    [103, 'its number', [3, 0], 'many'],
    [104, 'or for and', [3, 0], 'many'],
    [105, 'the number of the call', [3], 'many'],
    [106, 'the condition negated', [3], 'few'],
    [107, 'the bound moved', [3], 'few'],
    [108, 'the number', [3], 'few'],
    [109, 'the name that is not used', [3], 'many'],
    [110, 'the name that is used', [3], ''],
  ])('does as %i says: %s', (planted, _, list, result) => {
    const few = new Function('__mutant', `${code}; return few`)((number: number) => number === planted)
    const given: number[] = []
    expect([few(given, 3), given]).toEqual([result, list])
  })
})

describe('a sample', () => {
  const many = Array.from({ length: 1000 }, (_, n) => n)
  it('is the same for the same commit, and another for another', () => {
    expect(sampled(many, 40, 'one')).toEqual(sampled(many, 40, 'one'))
    expect(sampled(many, 40, 'one')).not.toEqual(sampled(many, 40, 'two'))
    expect(new Set(sampled(many, 40, 'one')).size).toBe(40)
  })
  it('is all there is when that is less', () => expect(sampled([1, 2], 40, 'one')).toEqual([1, 2]))
})

describe('the list of survivors', () => {
  const url = new URL('./mutations.md', import.meta.url)
  it('names mutants that there are', async () => {
    const { readFileSync } = await import('node:fs')
    const files = filesOfAreas()
    for (const [file, survivors] of readKnown(url)) {
      const source = readFileSync(new URL(`../${file}`, import.meta.url), 'utf8')
      const there = new Set(mutantsOf(source).map(keyOf))
      expect([file, files.has(file), [...survivors].filter((key) => !there.has(key))]).toEqual([file, true, []])
    }
  })
})
