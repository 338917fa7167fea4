import { describe, expect, it } from 'vitest'
import { type Letter, oneLine, render } from '#kernel/mail/letter'

const letter = (more: Partial<Letter>): Letter => ({
  to: 'a@b.cd',
  kind: 'test',
  subject: 'Subject',
  name: null,
  blocks: [],
  ...more,
})

describe('render', () => {
  it('says the same in both forms', () => {
    const blocks: Letter['blocks'] = [
      'One.',
      { label: 'Choose', link: 'https://h/x?token=1&y=2' },
      { code: ['muster one', 'muster two'] },
      { facts: { Device: 'laptop', From: '10.0.0.1' } },
    ]
    const { text, html } = render(letter({ name: 'Ada', blocks }), 'muster.example')
    expect(text).toBe(
      'Hello Ada,\n\nOne.\n\nChoose:\nhttps://h/x?token=1&y=2\n\n    muster one\n    muster two\n\nDevice: ' +
        'laptop\nFrom:   10.0.0.1\n\n-- \nSent by the Muster server muster.example.\n',
    )
    for (const part of [
      'Hello Ada,',
      'One.',
      'href="https://h/x?token=1&amp;y=2"',
      'muster one\nmuster two',
      '>laptop<',
      'muster.example',
    ])
      expect(html).toContain(part)
  })

  it('greets nobody by an empty name', () =>
    expect(render(letter({ name: '\u202e\u0007 ' }), 'h').text).toMatch(/^Hello,\n/))

  it('lets no text become markup', () => {
    const evil = '<img src=x onerror="alert(1)">\'&'
    const blocks: Letter['blocks'] = [
      evil,
      { label: evil, link: `https://h/"${evil}` },
      { code: [evil] },
      { facts: { [evil]: evil } },
    ]
    const { html } = render(letter({ name: evil, subject: evil, blocks }), evil)
    expect(html).not.toContain('<img')
    expect(html.match(/href="[^"]*"/g)).toHaveLength(1)
    expect(html).toContain('&lt;img src=x onerror=&quot;alert(1)&quot;&gt;&#39;&amp;')
  })

  it('loads nothing from elsewhere', () =>
    expect(render(letter({}), 'h').html).not.toMatch(/src=|url\(|<link|<script|http/))

  it('shows what somebody wrote as HTML, and the same words as text', () => {
    const markdown =
      '## Which **one**?\n\n- `a < b`\n- two\nmore\n\n```\nrm -rf x\n```\n\n[docs](https://h/a?b&c) https://h/d'
    const { text, html } = render(letter({ blocks: [{ markdown }] }), 'h')
    expect(text).toContain(`Hello,\n\n${markdown}\n\n-- `)
    for (const part of [
      'Which <strong>one</strong>?</p>',
      '<li><code style="',
      '>a &lt; b</code></li>',
      '>rm -rf x</pre>',
      'docs (<a href="https://h/a?b&amp;c" rel="noreferrer">https://h/a?b&amp;c</a>)',
      '<a href="https://h/d" rel="noreferrer">https://h/d</a>',
    ])
      expect(html).toContain(part)
  })

  it.each([
    '![tracker](https://evil.example/a.png "t")',
    '<img src="https://evil.example/a.png">',
    '<style>@import url(https://evil.example)</style>',
    '<script src=//evil.example></script>',
    'a <b onclick="x()">b</b> <svg/onload=x()>',
    '[click](javascript:x())',
    '[click](data:text/html,x "" onmouseover=x()")',
    '[click](<https://h/" onmouseover="x()>)',
    '<javascript:x()>',
    '[a]: javascript:x()\n[a]',
    '```"><img src=x>\n</pre><img src=x>\n```',
    '`</code><img src=x>`',
    '|a|b|\n|-|:-:|\n|<img src=x>|![](https://e/x)|',
    '&lt;img src=x&gt; &#60;img src=x&#62;',
  ])('loads and runs nothing of what somebody wrote: %s', (markdown) => {
    const { html } = render(letter({ blocks: [{ markdown }] }), 'h')
    const tags = [...html.matchAll(/<\/?([a-z0-9]+)((?:\s+[a-z-]+(?:="[^"<>]*")?)*)\s*\/?>/g)]
    expect(html.replace(/<!doctype html>/, '').split('<')).toHaveLength(tags.length + 1)
    const known = /^(html|head|meta|title|body|div|p|pre|code|ul|ol|li|table|thead|tbody|tr|th|td|a|br|strong|em)$/
    for (const [, tag, attributes] of tags) {
      expect(tag).toMatch(known)
      for (const [, name] of attributes!.matchAll(/ ([a-z-]+)="/g))
        expect(['lang', 'charset', 'name', 'content', 'style', 'href', 'rel', 'align']).toContain(name)
    }
    for (const [, address] of html.matchAll(/href="([^"]*)"/g)) expect(address).toMatch(/^(https?:|mailto:)/)
  })

  it('breaks long lines of text between words', () => {
    const { text } = render(letter({ blocks: ['word '.repeat(60).trim()] }), 'h')
    const lines = text.split('\n')
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(76)
    expect(text.match(/word/g)).toHaveLength(60)
  })
})

describe('oneLine', () => {
  it.each([
    ['plain', 'plain'],
    ['a\r\nBcc: b', 'a Bcc: b'],
    ['a\u2028b\u0000c\u0085d', 'a b c d'],
    ['\u202egnp.exe', 'gnp.exe'],
    ['x'.repeat(201), `${'x'.repeat(199)}…`],
    ['😀'.repeat(201), `${'😀'.repeat(199)}…`],
  ])('makes %j one line', (text, line) => expect(oneLine(text)).toBe(line))
})
