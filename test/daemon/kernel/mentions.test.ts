import { expect, it } from 'vitest'
import { mentions, mentionsIn } from '../../../daemon/kernel/mentions.ts'

it.each<[string, string[]]>([
  ['@ada, look', ['ada']],
  ['Look, @Ada!', ['ada']],
  ['@ada and @web-dev-2.', ['ada', 'web-dev-2']],
  ['(@ada) "@bob"', ['ada', 'bob']],
  ['@ada @ada', ['ada']],
  ['ask\n@ada\nplease', ['ada']],
  ["@ada's turn", ['ada']],
  ['@ada: go on', ['ada']],
  ['mail ada@example.com', []],
  ['@example.com', []],
  ['see https://host/@ada', []],
  ['@@ada', []],
  ['@ada_b', ['ada_b']],
  ['@Ada_Hog, @ada_hog-2: look', ['ada_hog', 'ada_hog-2']],
  ['@_ada', []],
  ['_@ada', []],
  ['`@ada_hog` and\n```\n@ada_hog\n```', []],
  ['@adä', []],
  ['@ada@example.com', []],
  ['@', []],
  ['@ ada', []],
  ['run `npm i @ada/core` now', []],
  ['``@ada ` still`` but @bob', ['bob']],
  ['```\n@ada\n```\n@bob', ['bob']],
  ['~~~ts\n@ada\n~~~\n', []],
  ['````\n```\n@ada\n```\n````\n@bob', ['bob']],
  ['```\n@ada has no end', []],
  ['a single ` and @ada', ['ada']],
])('%j names %j', (text, slugs) => expect([...mentionsIn(text).slugs]).toEqual(slugs))

it("a client's link names an agent by its id, whatever its label says", () => {
  const text = 'Please, [@old-name](x-app:agent/a_1-B) and `[@b](x-app:agent/b)`, [@c](https://host/agent/c)'
  expect([...mentionsIn(text).ids]).toEqual(['a_1-B'])
  expect(mentions(text, { id: 'a_1-B', slug: 'ada' })).toBe(true)
  expect(mentions(text, { id: 'other', slug: 'old-name' })).toBe(false)
})

it('the slug of an agent is a whole word', () => {
  expect(mentions('@ADA?', { id: '1', slug: 'ada' })).toBe(true)
  expect(mentions('@ada-2', { id: '1', slug: 'ada' })).toBe(false)
  expect(mentions('@ada_hog', { id: '1', slug: 'ada' })).toBe(false)
  expect(mentions('@ada_hog', { id: '1', slug: 'ada_hog' })).toBe(true)
})

it.each(['`', '`` ` ', '```\n', '~~~', '@', '@a.', '@a-', '@a_', '[@a](x:agent/', '[@a](x'])(
  'reads a megabyte of %j',
  (piece) => {
    expect([...mentionsIn(`${piece.repeat(1024 ** 2 / piece.length)}\n`).ids]).toEqual([])
  },
)
