import { describe, expect, it } from 'vitest'
import type { Role } from '#contract/roles'
import { daemon } from '#test'
import { cliFor, type Terminal } from '../../support/cli.ts'
import { eventually } from '../../support/eyes.ts'
import { openSockets, requested } from '../../support/live.ts'

const size = { cols: 80, rows: 24 }

async function place(role: Role = 'MANAGER') {
  const it = await daemon()
  const crew = (await it.call('OWNER', 'POST', '/crews', { name: 'Web', slug: 'web' })).body.id as string
  const path = `/crews/${crew}/issues`
  const add = async (title: string, more: object = {}) =>
    (await it.call('OWNER', 'POST', path, { title, ...more })).body.identifier as string
  const move = (identifier: string, status: string) => it.call('OWNER', 'PATCH', `${path}/${identifier}`, { status })
  const statusOf = async (identifier: string) => (await it.call('OWNER', 'GET', `${path}/${identifier}`)).body.status
  const muster = await cliFor(it, role)
  const sockets = openSockets(it)
  /** The board at a terminal, once it hears of changes. */
  const open = async (first: string): Promise<Terminal> => {
    const lists = requested(it, /\/issues\?/, 4)
    const terminal = muster.terminal(['board', 'web'], { ...size, env: { NO_COLOR: '1' } })
    await shows(terminal, first)
    await lists
    return terminal
  }
  return { ...it, crew, add, move, statusOf, muster, sockets, open }
}

const sees = (terminal: Terminal, check: (lines: string[]) => boolean, at = size) => eventually(terminal, check, at)
const shows = (terminal: Terminal, text: string) => sees(terminal, (lines) => lines.some((line) => line.includes(text)))
const chosen = (terminal: Terminal, text: string) =>
  sees(terminal, (lines) => lines.some((line) => line.includes(`›${text}`)))

describe('muster board at a terminal', () => {
  it('shows columns at 80 by 24, and moves issues with the keyboard', async () => {
    const it = await place()
    const [first, second] = [await it.add('First issue'), await it.add('Second issue')]
    const terminal = await it.open('Second issue')
    const lines = await chosen(terminal, second)
    expect(lines[0]).toMatch(/^Board {2}web {2}2 issues/)
    expect(lines[1]).toMatch(/^backlog 2 +todo 0 +in progress 0 +review 0/)
    expect(lines).toHaveLength(24)
    expect(lines.every((line) => line.length <= 80)).toBe(true)
    terminal.type('j')
    await chosen(terminal, first)
    terminal.type('>>')
    await shows(terminal, `${first} is IN_PROGRESS.`)
    await sees(terminal, (rows) => rows[1]!.includes('backlog 1') && rows[1]!.includes('in progress 1'))
    expect(await it.statusOf(first)).toBe('IN_PROGRESS')
    terminal.type('\u001b[1;2D')
    await shows(terminal, `${first} is TODO.`)
    terminal.type('h')
    await chosen(terminal, second)
    terminal.type('<')
    await shows(terminal, `${second} is BACKLOG and may become TODO, IN_PROGRESS, CANCELLED, DUPLICATE.`)
    terminal.type('q')
    expect(await terminal.ended).toBe(0)
    expect(terminal.text()).toMatch(/\u001b\[\?1049l\u001b\[\?25h/)
  })

  it('shows what others change, without a key', async () => {
    const it = await place()
    const terminal = await it.open('backlog 0')
    const late = await it.add('Late issue')
    await chosen(terminal, late)
    await it.move(late, 'TODO')
    await sees(terminal, (rows) => rows[1]!.includes('backlog 0') && rows[1]!.includes('todo 1'))
    await it.move(late, 'CANCELLED')
    await it.call('OWNER', 'DELETE', `/crews/${it.crew}/issues/${late}`)
    await sees(terminal, (rows) => rows[0]!.includes('0 issues'))
  })

  it('shows an issue with its description, in which nothing acts on the terminal', async () => {
    const it = await place()
    await it.add('Do this', { description: '# Why\n\n- one \u001b]0;evil\u0007\n- two' })
    it.app.db
      .prepare("UPDATE missions SET title = 'Do ' || char(27) || '[2Jthis ' || char(27) || ']0;evil' || char(7)")
      .run()
    const terminal = await it.open('WEB-1')
    terminal.type('\r')
    await shows(terminal, '• two')
    terminal.type('\u001b')
    await shows(terminal, 'backlog 1')
    terminal.type('?')
    await shows(terminal, 'move it to the next status')
    terminal.type('q')
    expect(await terminal.ended).toBe(0)
    expect(terminal.text()).not.toMatch(/\u001b\]0;evil|\u001b\[2Jthis/)
  })

  it('says why an issue cannot be moved', async () => {
    const it = await place('VIEWER')
    const first = await it.add('First issue')
    const terminal = await it.open('First issue')
    terminal.type('>')
    await shows(terminal, 'needs the role MANAGER')
    expect(await it.statusOf(first)).toBe('BACKLOG')
  })

  it('follows the size of the terminal', async () => {
    const it = await place()
    await it.add('First issue')
    const terminal = await it.open('First issue')
    terminal.resize(120, 30)
    const wide = { cols: 120, rows: 30 }
    await sees(terminal, (rows) => rows.length === 30 && rows[1]!.includes('done 0'), wide)
  })

  it.each([
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ])('gives the terminal back after %s', async (signal, code) => {
    const it = await place()
    const terminal = await it.open('backlog 0')
    terminal.kill(signal)
    expect(await terminal.ended).toBe(code)
    expect(terminal.text()).toMatch(/\u001b\[\?1049l\u001b\[\?25h/)
  })
})

it('muster board is a table elsewhere, in the order of the columns', async () => {
  const it = await place()
  const [first, second] = [await it.add('First\tissue'), await it.add('Second issue')]
  await it.move(second, 'TODO')
  const { stdout } = await it.muster.run('board', 'web')
  const rows = stdout
    .trim()
    .split('\n')
    .map((row) => row.split('\t').slice(0, 3))
  expect(rows.map(([id, , status]) => [id, status])).toEqual([
    [first, 'BACKLOG'],
    [second, 'TODO'],
  ])
  expect((await it.muster.run('board', 'none')).code).toBe(3)
})
