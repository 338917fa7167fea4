import { EventEmitter } from 'node:events'
import { describe, expect, it } from 'vitest'
import { Screen } from '../../../cli/chat/screen.ts'
import { type Row, span } from '../../../cli/markdown/rows.ts'
import { painter } from '../../../cli/output/theme.ts'
import { seen } from '../../support/eyes.ts'

class Glass extends EventEmitter {
  text = ''
  columns: number
  rows: number
  constructor(columns: number, rows: number) {
    super()
    this.columns = columns
    this.rows = rows
  }
  write(text: string) {
    this.text += text
  }
}

const rows = (...texts: string[]): Row[] => texts.map((text) => [span(text)])

function open(columns = 20, height = 6) {
  const glass = new Glass(columns, height)
  const screen = new Screen(glass, painter(false))
  const look = async () => {
    screen.flush()
    return seen(glass.text, columns, height)
  }
  return { glass, screen, look }
}

/** How an emulator of terminals is made to cut rows, as xterm does. */
const cuts = { windowsPty: { backend: 'conpty' as const, buildNumber: 1 } }

describe('a screen', () => {
  it('keeps what is committed above what changes', async () => {
    const { screen, look } = open()
    screen.commit(rows('one'))
    screen.show(() => ({ rows: rows('', '> typed'), cursor: { row: 1, column: 4 } }))
    expect(await look()).toEqual({ lines: ['one', '', '> typed'], cursor: { x: 4, y: 2 } })
    screen.commit(rows('two', 'three'))
    screen.show(() => ({ rows: rows('', 'status', '', '> '), cursor: { row: 3, column: 2 } }))
    expect(await look()).toEqual({ lines: ['one', 'two', 'three', '', 'status', '', '>'], cursor: { x: 2, y: 6 } })
    screen.show(() => ({ rows: rows('', '> '), cursor: { row: 1, column: 2 } }))
    expect(await look()).toEqual({ lines: ['one', 'two', 'three', '', '>'], cursor: { x: 2, y: 4 } })
  })

  it('shows the lower end of what is taller than it, and leaves no trace of it', async () => {
    const { screen, look } = open(20, 5)
    const tall = Array.from({ length: 12 }, (_, n) => `row ${n}`)
    screen.show(() => ({ rows: rows(...tall), cursor: { row: 11, column: 0 } }))
    expect((await look()).lines).toEqual(['row 8', 'row 9', 'row 10', 'row 11'])
    screen.commit(rows(...tall.map((text) => `done ${text}`)))
    screen.show(() => ({ rows: rows('> '), cursor: { row: 0, column: 2 } }))
    expect((await look()).lines).toEqual([...tall.map((text) => `done ${text}`), '>'])
  })

  it('draws nothing when nothing changed', async () => {
    const { glass, screen, look } = open()
    screen.show(() => ({ rows: rows('same'), cursor: { row: 0, column: 0 } }))
    await look()
    const { length } = glass.text
    screen.show(() => ({ rows: rows('same'), cursor: { row: 0, column: 0 } }))
    await look()
    expect(glass.text.length).toBe(length)
  })

  it('never wipes a row before it is written anew', async () => {
    const { glass, screen, look } = open()
    screen.show(() => ({ rows: rows('first', 'second'), cursor: { row: 1, column: 0 } }))
    await look()
    screen.show(() => ({ rows: rows('third', 'fourth'), cursor: { row: 1, column: 0 } }))
    await look()
    expect(glass.text).not.toMatch(/\u001b\[2K|\u001b\[1K|\u001b\[2J/)
    expect(glass.text).not.toMatch(/\u001b\[J(?=third)/)
  })

  it('leaves the committed rows alone when it closes', async () => {
    const { glass, screen, look } = open()
    screen.commit(rows('one'))
    screen.show(() => ({ rows: rows('', 'status', '> x'), cursor: { row: 2, column: 3 } }))
    await look()
    screen.close()
    expect(await seen(`${glass.text}$`, 20, 6)).toEqual({ lines: ['one', '$'], cursor: { x: 1, y: 1 } })
  })

  it('makes way below for another program, and comes back', async () => {
    const { glass, screen, look } = open()
    screen.commit(rows('one'))
    screen.show(() => ({ rows: rows('> x', 'hint'), cursor: { row: 0, column: 3 } }))
    await look()
    screen.park()
    screen.commit(rows('two'))
    glass.write('$ fg\r\n')
    expect((await look()).lines).toEqual(['one', '> x', 'hint', '$ fg'])
    screen.resume()
    expect((await look()).lines).toEqual(['one', '> x', 'hint', '$ fg', 'two', '> x', 'hint'])
  })

  it('finds its place again in a terminal that became narrower', async () => {
    const { glass, screen } = open(20, 10)
    screen.commit(rows('one'))
    screen.show(() => ({ rows: rows('a long row of words', '> x'), cursor: { row: 1, column: 3 } }))
    screen.flush()
    const { default: xterm } = await import('@xterm/headless')
    const terminal = new xterm.Terminal({ cols: 20, rows: 10, allowProposedApi: true })
    const write = (text: string) => new Promise<void>((resolve) => terminal.write(text, resolve))
    await write(glass.text)
    terminal.resize(11, 10)
    glass.text = ''
    glass.columns = 11
    glass.emit('resize')
    screen.show(() => ({ rows: rows('a long row', 'of words', '> x'), cursor: { row: 2, column: 3 } }))
    screen.flush()
    await write(glass.text)
    const { active } = terminal.buffer
    const lines = Array.from({ length: active.length }, (_, y) => active.getLine(y)!.translateToString(true))
      .join('\n')
      .trimEnd()
    expect(lines).toBe('one\na long row\nof words\n> x')
  })

  it('asks once for what it draws, however often that changed', () => {
    const { screen } = open()
    let asked = 0
    for (let at = 0; at < 1000; at++)
      screen.show(() => {
        asked++
        return { rows: rows(`row ${at}`), cursor: { row: 0, column: 0 } }
      })
    screen.flush()
    expect(asked).toBe(1)
  })

  it.each([
    ['breaks long rows anew', true],
    ['cuts them', false],
  ])('keeps what stands above in a terminal that %s when it becomes narrow and wide again', async (_, reflows) => {
    const glass = new Glass(40, 12)
    const screen = new Screen(glass, painter(false), { reflows })
    const { default: xterm } = await import('@xterm/headless')
    const terminal = new xterm.Terminal({ cols: 40, rows: 12, allowProposedApi: true, ...(!reflows && cuts) })
    const draw = async (...live: string[]) => {
      screen.show(() => ({ rows: rows(...live), cursor: { row: live.length - 1, column: 2 } }))
      screen.flush()
      await new Promise<void>((resolve) => terminal.write(glass.text, resolve))
      glass.text = ''
    }
    const resize = (cols: number) => {
      terminal.resize(cols, 12)
      glass.columns = cols
      glass.emit('resize')
    }
    screen.commit(rows('one', 'two', 'three'))
    await draw('a row of more than twenty columns', 'and another one of the same kind', '> ')
    resize(20)
    await draw('a row of more', '> ')
    resize(40)
    await draw('a row of more than twenty columns', '> ')
    const { active } = terminal.buffer
    const lines = Array.from({ length: active.length }, (_, y) => active.getLine(y)!.translateToString(true))
    expect(lines.join('\n').trimEnd()).toBe('one\ntwo\nthree\na row of more than twenty columns\n>')
  })

  it('waits until a window that is drawn to another size keeps it', async () => {
    const { glass, screen } = open(40, 10)
    screen.show(() => ({ rows: rows('a row'), cursor: { row: 0, column: 0 } }))
    screen.flush()
    glass.text = ''
    let asked = 0
    for (const columns of [39, 38, 37]) {
      glass.columns = columns
      glass.emit('resize')
      screen.show(() => {
        asked++
        return { rows: rows('another row'), cursor: { row: 0, column: 0 } }
      })
    }
    await new Promise<void>((resolve) => {
      const write = glass.write.bind(glass)
      glass.write = (text) => {
        write(text)
        resolve()
      }
    })
    expect(asked).toBe(1)
  })
})
