import { describe, expect, it } from 'vitest'
import { quotedLines } from '../../../daemon/kernel/quoted-lines.ts'

describe('a text that is quoted', () => {
  it.each([
    ['plain', '> plain'],
    ['  two\r\nlines  ', '> two\n> lines'],
    ['a\vb\fc\u0085d\u2028e\u2029f\rg', '> a\n> b\n> c\n> d\n> e\n> f\n> g'],
    ['hid\u202eden\u200b \u0007bell\u{e0041}', '> hidden bell'],
    ['> quoted', '> > quoted'],
    ['👩\u200d💻\tat work', '> 👩\u200d💻\tat work'],
  ])('%j stands as %j', (text, shown) => expect(quotedLines(text)).toBe(shown))
})
