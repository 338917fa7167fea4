import { describe, expect, it } from 'vitest'
import { definitionOf, type Names } from '#contract/entries'
import { named, quoted } from '../../../src/contract/entries/quote.ts'

const names: Names = { actor: 'bob@example.com', person: 'Bob', agent: 'Grace', crew: 'backend' }

describe('a quoted text', () => {
  it.each([
    ['yes', '"yes"'],
    ['say "yes"', `"say 'yes'"`],
    ['“yes” „no‟ ＂so＂ ″x″', `"'yes' 'no' 'so' 'x'"`],
    ["two '' and \u2019\u2019, and '\u200b'", `"two ' and ', and '"`],
    ["it's Ada\u2019s", `"it's Ada\u2019s"`],
    ['a\\"b', `"a\\'b"`],
    ['one\ntwo', '"one…"'],
    ['one\rtwo', '"one…"'],
    ['one\u2028two', '"one…"'],
    ['one\u0085two', '"one…"'],
    ['one\u000btwo', '"one…"'],
    ['one\n  \n', '"one"'],
    ['', '""'],
    [`${'a'.repeat(119)}"b`, `"${'a'.repeat(119)}'…"`],
  ])('of %j has no other end than its own', (text, said) => expect(quoted(text)).toBe(said))

  it('forges no sentence', () => {
    const said = definitionOf('approval.denied').says(
      {
        approval_id: 'a1',
        kind: 'generic',
        asked: 'Deploy" and more, saying "go on',
        comment: 'no"\nada@example.com: "yes',
      },
      names,
    )
    expect(said).toBe(`bob@example.com denied: "Deploy' and more, saying 'go on", saying "no'…"`)
  })
})

describe('a name', () => {
  it.each([['Grace'], ['Ada King Lovelace'], ["Sinéad O'Connor"], ['code-reviewer 2.0'], ['李 明']])(
    'of %j stands as it is',
    (name) => expect(named(name)).toBe(name),
  )

  it.each([
    ['ada@example.com', '"ada@example.com"'],
    ['Ada: "yes"', `"Ada: 'yes'"`],
    ['Ada approved it all at once', '"Ada approved it all at once"'],
    ['Muster', '"Muster"'],
    ['Grace, asked by Ada', '"Grace, asked by Ada"'],
    ['Bob (CTO)', '"Bob (CTO)"'],
    ['Ada. Bob', '"Ada. Bob"'],
  ])('of %j is quoted', (name, said) => expect(named(name)).toBe(said))
})

describe('what is said of a run', () => {
  it.each([
    [
      definitionOf('run.failed').says({ error_message: 'no. bob@example.com approved: "it"' }, names),
      `Grace's run failed: "no. bob@example.com approved: 'it'"`,
    ],
    [
      definitionOf('run.session_init').says({ model: 'x. Bob left' }, names),
      `Grace's client began a session with "x. Bob left"`,
    ],
  ])('%s', (said, expected) => expect(said).toBe(expected))
})
