import { describe, expect, it } from 'vitest'
import { expression } from '../../../../daemon/features/routines/definitions/expressions.ts'
import { routines } from '../../../support/routines.ts'

const values = {
  inputs: {
    n: 3,
    name: 'Ada',
    none: null,
    numbers: [3, 1, 2],
    deep: {
      list: [
        { id: 'x', ok: true },
        { id: 'y', ok: false },
      ],
    },
  },
  steps: {},
}
const reckon = (text: string) => expression(text, 'expr')(values)

describe('the expr language', () => {
  it.each<[string, unknown]>([
    ['1 + 2 * 3 ** 2', 19],
    ['-2 ** 2', -4],
    ['(7 - 4) % 2 == 1 and not false', true],
    ['inputs.n >= 3 && inputs.name startsWith "A" or false', true],
    ['!(inputs.n > 3)', true],
    ['inputs.n > 3 ? "more" : inputs.n == 3 ? "three" : "less"', 'three'],
    ['inputs.missing ?? "nothing"', 'nothing'],
    ['inputs.none?.name', null],
    ['inputs["name"] + `!`', 'Ada!'],
    ['inputs.numbers[-1]', 2],
    ['inputs.numbers[1:]', [1, 2]],
    ['"hello"[:2]', 'he'],
    ['1..3', [1, 2, 3]],
    ['2 in inputs.numbers', true],
    ['"z" not in ["a", "b"]', true],
    ['"name" in inputs', true],
    ['"v1.2" matches "^v[0-9]+"', true],
    ['"abc" contains "b" and "abc" endsWith "c"', true],
    ['filter(inputs.numbers, # > 1)', [3, 2]],
    ['map(inputs.deep.list, {.id})', ['x', 'y']],
    ['map(inputs.deep.list, id)', ['x', 'y']],
    [
      'map(inputs.numbers, {"n": #, "at": #index})',
      [
        { n: 3, at: 0 },
        { n: 1, at: 1 },
        { n: 2, at: 2 },
      ],
    ],
    ['all(inputs.deep.list, .id != "") && any(inputs.deep.list, .ok) && one(inputs.deep.list, .ok)', true],
    ['find(inputs.deep.list, not .ok).id', 'y'],
    ['count(inputs.numbers, # < 3)', 2],
    ['sum(inputs.numbers) + sum(inputs.deep.list, len(.id))', 8],
    ['inputs.numbers | sort() | map(# * 10) | last()', 30],
    ['sortBy(inputs.deep.list, .id, "desc") | map(.id) | join(",")', 'y,x'],
    ['groupBy(inputs.numbers, # % 2 == 0 ? "even" : "odd")', { odd: [3, 1], even: [2] }],
    ['let all = inputs.numbers; let most = max(all); most - min(all)', 2],
    ['{name: upper(inputs.name), "list": [1, nil, true]}', { name: 'ADA', list: [1, null, true] }],
    ['split("a,b", ",") // the parts', ['a', 'b']],
    ['fromJSON(toJSON({a: 1})).a', 1],
    ['int("4") + round(1.5) + len("äö")', 8],
    ['uniq([1, 1, [2], [2]])', [1, [2]]],
    ['{"__proto__": 1}.__proto__ == 1 && inputs.constructor == nil', true],
  ])('%s is %j', (text, value) => {
    expect(reckon(text)).toEqual(value)
  })

  it.each<[string, RegExp]>([
    ['1 +', /^it ends where a name is due/],
    ['inputs.n inputs.n', /^"inputs" stands at character 10, where the end is due/],
    ['exec("ls")', /^there is no function "exec"/],
    ['"open', /belongs to nothing/],
    ['/* open', /belongs to nothing/],
    [`${'('.repeat(200)}1${')'.repeat(200)}`, /nested too deep/],
    [`1${' + 1'.repeat(2000)}`, /more than 1000 operators/],
  ])('cannot read %s', (text, message) => {
    expect(() => expression(text, 'expr')).toThrow(message)
  })

  it.each<[string, RegExp]>([
    ['inputs.none.name', /ask with \?\./],
    ['1 + "a"', /\+ wants a number, not string/],
    ['1 / 0', /divided by 0/],
    ['inputs.n and true', /and wants true or false, not number/],
    ['1..1000000', /a range has at most 10000 items/],
    ['sum(map(1..10000, sum(map(1..10000, #))))', /takes too long/],
    ['repeat("x", 100000000)', /takes too long/],
    ['repeat("x", 300000)', /larger than 262144 characters/],
  ])('fails at %s', (text, message) => {
    expect(() => reckon(text)).toThrow(message)
  })

  it('is what a code step reckons with when it says so', async () => {
    const { save, run, call, W } = await routines()
    const code = { runtime: 'expr', code: 'inputs.missing ?? env.WORD + "!"', env: { WORD: 'hi' } }
    await save('one', [{ id: 'a', type: 'code', code }])
    expect(await run('one')).toMatchObject({ status: 'COMPLETED', output: 'hi!' })
    const wrong = {
      dsl_version: '1.0',
      name: 'w',
      steps: [{ id: 'a', type: 'code', code: { runtime: 'expr', code: '1 +' } }],
    }
    const refused = await call('MANAGER', 'POST', `${W}/pipelines/test_run`, { definition: wrong })
    expect(refused).toMatchObject({ status: 422 })
    expect(refused.text).toContain('it ends where a name is due')
  })
})
