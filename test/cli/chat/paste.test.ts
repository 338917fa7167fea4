import { PassThrough } from 'node:stream'
import type { ReadStream } from 'node:tty'
import { describe, expect, it } from 'vitest'
import { Editor } from '../../../cli/chat/editor.ts'
import { layout, window } from '../../../cli/chat/layout.ts'
import { Pastes } from '../../../cli/chat/pastes.ts'

const pasted = (text: string) => `\u001b[200~${text}\u001b[201~`
const settled = () => new Promise((resolve) => setImmediate(() => setImmediate(resolve)))

/** An editor at what it takes for a terminal, which counts how often the screen would be drawn. */
function open() {
  const input = Object.assign(new PassThrough(), { isTTY: true, setRawMode() {}, ref() {}, unref() {} })
  const pastes = new Pastes()
  const seen = { changes: 0, sent: [] as string[], interrupts: 0 }
  const editor = new Editor(
    input as unknown as ReadStream,
    { write: () => true },
    {
      history: [],
      complete: (text) => text,
      pastes,
      on: {
        submit: (text) => void seen.sent.push(pastes.whole(text)),
        interrupt: () => void seen.interrupts++,
        leave() {},
        change: () => void seen.changes++,
        clear() {},
        suspend() {},
        resume() {},
      },
    },
  )
  const type = async (...chunks: string[]) => {
    for (const chunk of chunks) input.emit('data', Buffer.from(chunk))
    await settled()
  }
  return { editor, pastes, seen, type }
}

/** As a terminal hands it over: in pieces. */
const pieces = (text: string, size = 4096) =>
  Array.from({ length: Math.ceil(text.length / size) }, (_, at) => text.slice(at * size, (at + 1) * size))

const lines = (count: number) => Array.from({ length: count }, (_, n) => `line ${n} of what was pasted`)

describe('a paste', () => {
  it('changes the line once, however long it is, and is sent whole', async () => {
    const { editor, pastes, seen, type } = open()
    const text = lines(10_000)
    await type('look: ', ...pieces(pasted(text.join('\r'))))
    expect(pastes.shown(editor.text)).toBe('look: [pasted 10000 lines]')
    // One for what was typed, one for the paste.
    expect(seen.changes).toBe(2)
    await type('\r')
    expect(seen.sent).toEqual([`look: ${text.join('\n')}`])
    editor.close()
  })

  it('changes the line once for each piece where the terminal does not tell that it is one', async () => {
    const { editor, seen, type } = open()
    const text = lines(10_000).join('\r')
    const chunks = pieces(text)
    await type(...chunks)
    expect(editor.text).toBe(text.replaceAll('\r', '\n'))
    expect(seen.changes).toBeLessThanOrEqual(2 * chunks.length)
    editor.close()
  })

  it('leaves Ctrl-C working while it comes, and drops what was interrupted', async () => {
    const { editor, seen, type } = open()
    await type('\u001b[200~one\rtwo')
    await type('\u0003')
    expect(seen.interrupts).toBe(1)
    await type('three\r', '\u001b[201~four')
    expect(editor.text).toBe('four')
    expect(seen.sent).toEqual([])
    editor.close()
  })

  it('is one character in the line until Ctrl-O expands it', async () => {
    const { editor, pastes, type } = open()
    const text = lines(8).join('\n')
    await type('a', pasted(text), 'b')
    expect(pastes.shown(editor.text)).toBe('a[pasted 8 lines]b')
    // Twice to the left, and deleted.
    await type('\u001b[D\u001b[D\u001b[3~')
    expect(editor.text).toBe('ab')
    await type(pasted(text), '\u000f')
    expect(editor.text).toBe(`a${text}b`)
    expect(editor.cursor).toBe(1 + text.length)
    editor.close()
  })

  it('stands in the line as it is when it is short, and names what has one long line', async () => {
    const { editor, pastes, type } = open()
    await type(pasted('one\r\n\ttwo'))
    expect(editor.text).toBe('one\n\ttwo')
    expect(pastes.shown(pastes.put('x'.repeat(1001)))).toBe('[pasted 1001 characters]')
    editor.close()
  })

  it('sends what is typed ahead with Enter, and keeps a backslash for another line', async () => {
    const { editor, seen, type } = open()
    await type('one\\\r')
    await type('two\r')
    expect(seen.sent).toEqual(['one\ntwo'])
    editor.close()
  })
})

describe('the line that is typed', () => {
  it('breaks between words, and in the middle of a word that is too long', () => {
    expect(layout('a message of many words', 0, 10).rows).toEqual(['a message ', 'of many ', 'words'])
    expect(layout('ten digits 0123456789abc', 0, 10).rows).toEqual(['ten digits ', '0123456789', 'abc'])
    expect(layout('a message of many words', 14, 10).cursor).toEqual({ row: 1, column: 4 })
  })

  it('is laid out around the cursor alone', () => {
    const text = lines(1000).join('\n')
    const at = text.indexOf('line 500')
    const { rows, cursor } = window(text, at, 40, 5)
    expect(rows).toEqual([498, 499, 500, 501, 502].map((n) => `line ${n} of what was pasted`))
    expect(cursor).toEqual({ row: 2, column: 0 })
    expect(window(text, text.length, 40, 3).rows.at(-1)).toBe('line 999 of what was pasted')
    expect(window(text, 0, 40, 3).rows[0]).toBe('line 0 of what was pasted')
  })
})
