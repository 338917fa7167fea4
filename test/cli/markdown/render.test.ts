import { describe, expect, it } from 'vitest'
import { renderMarkdown } from '../../../cli/markdown/render.ts'
import { painted, rowWidth } from '../../../cli/markdown/rows.ts'
import { painter } from '../../../cli/output/theme.ts'

const lines = (text: string, width = 60, on = false) =>
  renderMarkdown(text, width).map((row) => painted(row, painter(on)))
const shown = (text: string, width?: number) => lines(text, width).join('\n')

describe('blocks', () => {
  it('stand a blank row apart', () => {
    expect(shown('# Title\nText\nmore\n\n---\n> quoted')).toBe(`Title\n\nText\nmore\n\n${'─'.repeat(40)}\n\n│ quoted`)
  })

  it('wrap between words, and cut what has none', () => {
    expect(lines('one two three abcdefghijklmnop', 10)).toEqual(['one two', 'three', 'abcdefghij', 'klmnop'])
  })

  it('hang the text of list items behind their marks', () => {
    expect(shown('- first item that wraps\n  - inner\n- [x] done\n- [ ] open', 14)).toBe(
      ['• first item', '  that wraps', '  • inner', '[x] done', '[ ] open'].join('\n'),
    )
    expect(shown('9. nine\n10. ten\n\n    more of ten')).toBe(
      [' 9. nine', '', '10. ten', '', '    more of ten'].join('\n'),
    )
  })

  it('keep the lines and the indentation of code', () => {
    expect(shown('```js\nif (a) {\n\treturn  1\n}\n```')).toBe('  if (a) {\n      return  1\n  }')
    expect(lines('```\nabcdefgh\n```', 6)).toEqual(['  abcd', '  efgh'])
  })

  it('fit tables to the width, and turn them into records where they do not', () => {
    const table = '| name | what it is |\n|:--|--:|\n| `a` | a long description |\n| 日本 | x |'
    expect(shown(table, 22)).toBe(
      ['name        what it is', '────  ────────────────', 'a   a long description', '日本                 x']
        .join('\n')
        .replace('a   a long description', 'a               a long\n           description'),
    )
    expect(shown(table, 8)).toBe(
      ['name: a', 'what it', 'is: a', 'long', 'descript', 'ion', '', 'name:', '日本', 'what it', 'is: x'].join('\n'),
    )
  })

  it.each([80, 40, 20, 12, 5])('never exceed %i columns', (width) => {
    const text =
      '# A heading of many words\n\n- a **bold** `code` https://example.com/a/long/address\n  > ' +
      '日本語テキスト\n\n```\nlong code line here\n```\n\n| aaaaaaaaaa | b |\n|--|--|\n| cc | dddddddddddddddd |'
    for (const row of renderMarkdown(text, width)) expect(rowWidth(row)).toBeLessThanOrEqual(Math.max(width, 8))
  })
})

describe('running text', () => {
  it('is coloured, and plain without colours', () => {
    expect(lines('**b** *i* ~~s~~ `c`', 60, true)).toEqual([
      '\u001b[1mb\u001b[22m \u001b[3mi\u001b[23m \u001b[9ms\u001b[29m \u001b[36mc\u001b[39m',
    ])
    expect(shown('**b** *i* ~~s~~ `c` &lt;tag&gt; \\*')).toBe('b i s c <tag> *')
  })

  it('shows where links lead', () => {
    expect(shown('[our site](https://evil.example) <https://a.example> ![cat](c.png)')).toBe(
      'our site (https://evil.example) https://a.example cat\n(c.png)',
    )
  })

  it('ends its style with its row', () => {
    expect(lines('**one two**', 5, true)).toEqual(['\u001b[1mone\u001b[22m', '\u001b[1mtwo\u001b[22m'])
  })
})

it.each([
  ['a sequence', 'x\u001b[31my\u001b]0;title\u0007z'],
  ['an entity', 'x&#27;[31my&#x1b;]0;t&#7;z&#155;2J'],
  ['an entity in a link', '[x&#27;[1m](http://a/&#27;[2J "&#27;")'],
  ['code', '```\n\u001b[2J&#27;\n```\n`\u009b2J`'],
  ['html', '<b>\u001b[2J</b>&#27;'],
  ['a table', '| a\u001b[2J |\n|--|\n| &#27;[2J |'],
  ['a carriage return', 'good\rbad &#13;x'],
  ['reordering marks', 'a\u202eb &#x202e;c'],
])('%s does nothing to the terminal', (_, text) => {
  expect(lines(text).join('\n')).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e]/)
})
