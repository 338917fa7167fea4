import { describe, expect, it } from 'vitest'
import { formsOf, searchFor, shortestOffered } from '../../../../daemon/runtime/adapters/secret-search.ts'

const mask = '[redacted]'
const texts = (secret: string, wraps: boolean) =>
  formsOf(secret)
    .filter((form) => form.wraps === wraps)
    .map(({ text }) => text)

describe('the forms of a secret', () => {
  it('are itself, escaped once and twice, for a URL, in hex, and in base64 wherever it begins', () => {
    expect(texts('~~~???>>>', false)).toEqual(['~~~???>>>', '~~~???>>>', '~~~???>>>', '~~~%3F%3F%3F%3E%3E%3E'])
    expect(texts('~~~???>>>', true)).toEqual([
      '7e7e7e3f3f3f3e3e3e',
      '7E7E7E3F3F3F3E3E3E',
      'fn5+Pz8/Pj4+',
      'fn5-Pz8_Pj4-',
      '5+fj8/Pz4+P',
      '5-fj8_Pz4-P',
      '+fn4/Pz8+Pj',
      '-fn4_Pz8-Pj',
    ])
    expect(texts('~~~???>>>~', true).slice(2)).toEqual([
      'fn5+Pz8/Pj4+f',
      'fn5-Pz8_Pj4-f',
      '5+fj8/Pz4+Pn',
      '5-fj8_Pz4-Pn',
      '+fn4/Pz8+Pj5+',
      '-fn4_Pz8-Pj5-',
    ])
    expect(texts('a"\\bcdef', false).slice(0, 3)).toEqual(['a"\\bcdef', 'a\\"\\\\bcdef', 'a\\\\\\"\\\\\\\\bcdef'])
  })

  it('are those of each long line too, where there are several', () => {
    const [one, two, short] = ['1234567890123456', 'abcdefghijklmnopq', '123456789012345']
    const plain = (secret: string) => [...new Set(texts(secret, false))]
    expect(plain(`${one}\r\n  ${two} \n${short}\n`)).toEqual(
      expect.arrayContaining([`${one}\r\n  ${two} \n${short}`, one, two]),
    )
    expect(plain(`${one}\n${two}\n${short}`)).not.toContain(short)
    expect(plain(`${one}\n${two}`)).toEqual(expect.arrayContaining([one, two]))
    expect(formsOf(two)).toHaveLength(12)
  })

  it('are none where it is shorter than a secret is: 8 characters, of what an agent calls one 4', () => {
    expect([formsOf('12345678').length, formsOf('1234567').length]).toEqual([12, 0])
    expect([formsOf('1234', shortestOffered).length, formsOf('123', shortestOffered).length]).toEqual([12, 0])
  })
})

describe('a form that is often broken into lines', () => {
  const search = searchFor([{ text: 'YWJjZGVm', wraps: true }])
  it.each(['\n', '\r\n', '\r'])('is found with %j at any place, and nothing beside it is taken', (end) => {
    for (let at = 1; at < 8; at++) {
      const broken = `${'YWJjZGVm'.slice(0, at)}${end}${'YWJjZGVm'.slice(at)}`
      expect(search.replace(`<${broken}>`, mask)).toBe(`<${mask}>`)
      const cut = `<${broken.slice(0, at + end.length)}`
      expect(search.advance(cut, mask)).toEqual({ done: '<', rest: cut.slice(1) })
    }
  })
  it.each(['\n\n', '\n\r', ' ', '\x0e\n'])('is another text with %j in it', (between) =>
    expect(search.replace(`YWJj${between}ZGVm`, mask)).toBe(`YWJj${between}ZGVm`),
  )
  it('is another text when it does not break', () =>
    expect(searchFor([{ text: 'YWJjZGVm', wraps: false }]).replace('YWJj\nZGVm', mask)).toBe('YWJj\nZGVm'))
})

it('what ends at the end of the text waits for more only where the text goes on', () => {
  const search = searchFor([{ text: 'secret-of-ada', wraps: false }])
  expect(search.replace('a secret-of', mask)).toBe('a secret-of')
  expect(search.advance('a secret-of', mask)).toEqual({ done: 'a ', rest: 'secret-of' })
  expect(search.advance('a s', mask)).toEqual({ done: 'a ', rest: 's' })
  expect(search.advance('secret-of-ada', mask)).toEqual({ done: mask, rest: '' })
  expect(search.replace('secret-of-adasecret-of-ada.', mask)).toBe(`${mask}${mask}.`)
})

it.each(['', '.'.repeat(50)])('a form is found right behind what only began like it, after %j', (before) =>
  expect(searchFor([{ text: 'aabbccdd', wraps: false }]).replace(`${before}aaabbccdd`, mask)).toBe(`${before}a${mask}`),
)

describe.each([
  ['of one byte a character', 'x'],
  ['with wide characters', '\u2026'],
])('a long text %s', (_, filler) => {
  const secret = 's+"/b?~\u00e9\u{1f511}(c'
  const forms = formsOf(secret)
  const search = searchFor(forms)
  // Texts of 65536 characters and more are read by the character.
  const paddings = [48, 1000, 65_400, 65_536, 70_000].map((length) => filler.repeat(length))

  it.each(forms.map(({ text }) => text))('is rid of %j, and of nothing else', (form) => {
    for (const before of paddings) {
      expect(search.replace(`${before}${form}`, mask)).toBe(before + mask)
      expect(search.replace(`${form}${before}${form}.`, mask)).toBe(`${mask}${before}${mask}.`)
    }
  })

  it.each(forms.map(({ text }) => text))('waits where it ends like the beginning of %j', (form) => {
    for (const before of paddings)
      for (const length of [1, 2, form.length - 1]) {
        search.replace('~'.repeat(before.length + 10), mask)
        const rest = form.slice(0, length)
        expect(search.advance(before + rest, mask)).toEqual({ done: before, rest })
      }
  })

  it('keeps what only its low bytes look like', () => {
    const likeness = [...secret].map((char) => String.fromCharCode(char.charCodeAt(0) + 0x100)).join('')
    for (const before of paddings) expect(search.replace(before + likeness, mask)).toBe(before + likeness)
  })
})
