import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { clean, cleanJson, cleanLine, cleanPainted } from '../../../cli/output/clean.ts'
import { compactJson, prettyJson } from '../../../cli/output/json.ts'
import { painter } from '../../../cli/output/theme.ts'
import { cleanYaml } from '../../../cli/output/yaml.ts'

// biome-ignore format: one attack a line
const nasty: [name: string, text: string, left: string][] = [
  ['colours', '\u001b[31mred\u001b[0m', 'red'],
  ['cursor and erase', 'a\u001b[2J\u001b[1;1Hb\u001b[Kc', 'abc'],
  ['window title', 'a\u001b]0;pwned\u0007b', 'ab'],
  ['title ended by ST', 'a\u001b]2;pwned\u001b\\b', 'ab'],
  ['hyperlink', '\u001b]8;;http://evil\u001b\\click\u001b]8;;\u001b\\', 'click'],
  ['clipboard write', '\u001b]52;c;cm0gLXJmIC8=\u0007x', 'x'],
  ['unended title', 'a\u001b]0;never ended\nb', 'a\nb'],
  ['device control', 'a\u001bP1$r0m\u001b\\b', 'ab'],
  ['eight-bit CSI', 'a\u009b31mb', 'ab'],
  ['eight-bit OSC', 'a\u009d0;t\u009cb', 'ab'],
  ['character set switch', 'a\u001b(0b', 'ab'],
  ['reset', 'a\u001bcb', 'ab'],
  ['keyboard answer back', 'a\u001b[6nb\u001b[>cb', 'abb'],
  ['carriage return over text', 'harmless\rrm -rf /', 'harmlessrm -rf /'],
  ['backspaces', 'ok\b\bno', 'okno'],
  ['bell and delete', 'a\u0007\u007fb', 'ab'],
  ['reordering', 'a\u202egpj.exe\u202c', 'agpj.exe'],
  ['isolates and marks', '\u2066a\u2069\u200e\u200f\u061cb', 'ab'],
  ['hidden characters', 'a\ufeff\u2060\u200b\u00ad\u180e\ufff9b', 'ab'],
  ['other line breaks', 'a\u2028b\u2029c', 'abc'],
  ['escape cut at the end', 'a\u001b', 'a'],
  ['CSI cut at the end', 'a\u001b[12;', 'a'],
  ['escape hidden in an escape', 'a\u001b[\u001b[31mb', 'ab'],
  ['tabs and line breaks stay', 'a\tb\r\nc\n', 'a\tb\nc\n'],
  ['letters of the world stay', 'Grüße 日本 👩‍👩‍👧 é', 'Grüße 日本 👩‍👩‍👧 é'],
]

// What no output may contain: a terminal acts on these.
const acting = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/

describe('clean', () => {
  it.each(nasty)('removes %s', (_, text, left) => expect(clean(text)).toBe(left))

  it('leaves nothing that a terminal acts on, whatever comes', () => {
    const bits = fc.constantFrom(
      '\u001b',
      '[',
      ']',
      '0',
      ';',
      'm',
      '\u0007',
      '\\',
      'P',
      '\u009b',
      '\u009d',
      '\u009c',
      'x',
      '\n',
      '\r',
      '\u202e',
    )
    fc.assert(
      fc.property(fc.array(bits, { maxLength: 30 }), (parts) => !acting.test(clean(parts.join('')))),
      { numRuns: 2000 },
    )
    fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => !acting.test(clean(text))))
  })

  it('keeps a table cell on its line', () => expect(cleanLine(' a\nb\tc\r\nd ')).toBe('a b c d'))
})

describe('what programs read', () => {
  it.each(nasty)('keeps %s in JSON and YAML, but inert', (_, text) => {
    for (const form of [
      cleanJson(JSON.stringify(text)),
      compactJson({ text }),
      prettyJson([text], painter(false)),
      cleanYaml({ [text]: [text] }),
    ])
      expect(form).not.toMatch(acting)
    expect(JSON.parse(compactJson(text))).toBe(text)
    expect(parse(cleanYaml({ [text]: [text, 1] }))).toEqual({ [text]: [text, 1] })
  })

  it('colours JSON without changing it', () => {
    const value = { 'a"b': ['x', -1.5e3, true, null, { c: '\\' }] }
    const colored = prettyJson(value, painter(true))
    expect(colored).toContain('\u001b[36m"a\\"b"\u001b[39m:')
    expect(JSON.parse(clean(colored))).toEqual(value)
  })
})

describe('text with colours of our own', () => {
  const painted = painter(true)
  it.each([
    [painted('red', 'a') + painted('bold', 'b'), painted('red', 'a') + painted('bold', 'b')],
    ['\u001b[8mhidden\u001b[5mblinks\u001b[38;5;1m', 'hiddenblinks'],
    ['\u001b]0;title\u001b[1mx\u0007', '\u001b[1mx'],
    ['\u001b[31m\u001b[2J\u009b2Jx\rz\u202e', '\u001b[31mxz'],
    ['one\ntwo\tthree', 'one\ntwo\tthree'],
  ])('%j is %j', (text, shown) => expect(cleanPainted(text)).toBe(shown))
})
