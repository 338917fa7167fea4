import { marked } from 'marked'
import { describe, expect, it } from 'vitest'
import { literal, quotation } from '../../../cli/markdown/quotation.ts'
import { seeded } from '../../support/random.ts'

const read = (text: string): string => marked.parse(`${quotation(text)}\n\n## Next`, { async: false })

describe('a quotation', () => {
  it('reads as it was written', () => {
    const text = '# Title\n\n- `a < b` and **bold**\n- x < y\n\n```ts\nconst a: Set<string>\n```'
    expect(quotation(text)).toBe(
      '> # Title\n>\n> - `a < b` and **bold**\n> - x &lt; y\n>\n> ```ts\n> const a: Set<string>\n> ```',
    )
  })

  it.each([
    '<script>x</script>',
    '<!-- hides what follows',
    '\\<img src=x>',
    '`<img src=x>',
    '`\n`<img src=x>`',
    '\\`<img src=x>`',
    '| a |\n|---|\n| `<img src=x> | ` |',
    '- ```\n  ```\n<img src=x>',
    '\t```\n```\n<img src=x>\n```',
    '```\n``` \u00a0\n```\n<img src=x>',
    '```\n<img src=x>',
    '~~~\n```\n~~~\n<img src=x>',
    '![x](https://evil.example/pixel)',
    '![x][y]\n\n[y]: https://evil.example/pixel',
    '```\nnever ends',
    '## Next\n\nforged',
  ])('of %j lets nothing of it act outside', (text) => {
    const html = read(text)
    expect(html).not.toMatch(/<(img|script|!--)/)
    expect(html).toMatch(/^<blockquote>[\s\S]*<\/blockquote>\n<h2>Next<\/h2>\n$/)
  })

  it('holds any mixture of what could end or begin something', () => {
    const pieces = [
      '`',
      '``',
      '```',
      '~~~',
      '<img src=x>',
      '\n',
      '\n\n',
      '> ',
      '- ',
      '1. ',
      '  ',
      '\t',
      '|',
      '\\',
      '![a](b)',
    ]
    const random = seeded(7)
    for (let n = 0; n < 3000; n++) {
      const text = Array.from({ length: 12 }, () => pieces[Math.floor(random() * pieces.length)]).join('')
      expect(read(text), JSON.stringify(text)).not.toContain('<img')
    }
  })
})

it('a name is a name, whatever it looks like', () => {
  const name = '**x** <img src=x> [a](b) `c` # | ~ & ![d](e) \\'
  expect(marked.parseInline(literal(name))).not.toMatch(/<(?!\/?$)/)
})
