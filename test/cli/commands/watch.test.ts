import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { closing, daemon, type TestDaemon } from '#test'
import { type Raise, raise } from '../../../daemon/features/inbox/service.ts'
import { cliFor } from '../../support/cli.ts'
import { openSockets, requested } from '../../support/live.ts'
import { workplace } from '../../support/runs.ts'

const put = ({ app, workspace }: Pick<TestDaemon, 'app' | 'workspace'>, it: Partial<Raise> & { source: string }) =>
  app.writeNow(() =>
    raise(app, {
      workspace,
      kind: 'message',
      target: 'workspace',
      title: `Item ${it.source}`,
      sender: { type: 'agent', name: 'ada' },
      now: app.now(),
      ...it,
    }),
  )
const bells = (text: string) => text.match(/\u0007\u001b\]9;[^\u0007]*\u0007/g) ?? []

/** At a terminal, once everything is heard. */
async function watching(...flags: string[]) {
  return watchingIn({}, ...flags)
}

async function watchingIn(env: Record<string, string>, ...flags: string[]) {
  const it = await daemon()
  const muster = await cliFor(it, 'MANAGER')
  const sockets = openSockets(it)
  put(it, { source: 'old', blocking: true })
  const listens = requested(it, /\/inbox\?/)
  const terminal = muster.terminal(['watch', ...flags], { env: { NO_COLOR: '1', ...env } })
  await listens
  return { ...it, muster, sockets, terminal }
}

describe('muster watch', () => {
  it('shows entries and new items, and rings once for each that needs the user', async () => {
    const it = await watching()
    put(it, { source: 'quiet' })
    await it.terminal.until(/• inbox {2}ada: Item quiet/)
    put(it, { source: 'urgent', priority: 'high', title: 'Now; \u001b]0;x\u0007please' })
    put(it, { source: 'blocks', blocking: true })
    await it.terminal.until(/! inbox {2}ada: Item blocks/)
    // Marked unread again by somebody, it is no new item.
    await it.call('OWNER', 'PATCH', '/inbox/ibx_message_blocks', { state: 'read' })
    await it.call('OWNER', 'PATCH', '/inbox/ibx_message_blocks', { state: 'unread' })
    await it.call('OWNER', 'POST', '/crews', { name: 'Web', slug: 'web' })
    await it.terminal.until(/Crew web was created/)
    put(it, { source: 'last' })
    const text = await it.terminal.until(/Item last/)
    expect(bells(text)).toEqual(['\u0007\u001b]9;ada: Now, please\u0007', '\u0007\u001b]9;ada: Item blocks\u0007'])
    expect(text).not.toContain('Item old')
    expect(text).not.toContain(']0;x')
  })

  it('never rings for what the user raised, or what is for others', async () => {
    const it = await watching()
    put(it, { source: 'own', blocking: true, sender: { type: 'user', id: it.person('MANAGER').userId, name: 'me' } })
    put(it, { source: 'others', blocking: true, target: { role: 'OWNER' } })
    put(it, { source: 'end' })
    const text = await it.terminal.until(/Item end/)
    expect(bells(text)).toEqual([])
    expect(text).toContain('Item own')
    expect(text).not.toContain('Item others')
  })

  it('rings for what came while the connection was lost, and not when told to be silent', async () => {
    const it = await watching('--no-bell')
    put(it, { source: 'a', blocking: true })
    expect(bells(await it.terminal.until(/Item a/))).toEqual([])
    const loud = await watching()
    loud.sockets.close()
    put(loud, { source: 'missed', blocking: true })
    openSockets(loud)
    expect(
      bells(await loud.terminal.until(/! inbox {2}ada: Item missed[\s\S]*\u001b\]9;[^\u0007]*\u0007/)),
    ).toHaveLength(1)
  })

  /** A program that takes down what it is called with, each word on a line of its own, and a blank one after them. */
  function notifySend() {
    const folder = mkdtempSync(join(tmpdir(), 'notify-'))
    closing({ close: () => rmSync(folder, { recursive: true }) })
    const program = join(folder, 'notify-send')
    writeFileSync(program, `#!/bin/sh\nprintf '%s\\n' "$@" '' >> ${folder}/said\n`)
    chmodSync(program, 0o755)
    const said = () => (existsSync(`${folder}/said`) ? readFileSync(`${folder}/said`, 'utf8') : '')
    return { PATH: `${folder}:${process.env['PATH']}`, said }
  }

  it('shows notices on the desktop when it is told to, whose words nothing reads but as words', async () => {
    const { PATH, said } = notifySend()
    const it = await watchingIn({ PATH, TERM: 'foot' }, '--notify', '--no-bell')
    put(it, { source: 'quiet' })
    const title = '--icon=x $(touch /tmp/x); `id`\u001b]0;x\u0007 \u202e<b>\nnow'
    put(it, { source: 'a', blocking: true, title, sender: { type: 'agent' } })
    const words = '--icon=x $(touch /tmp/x); `id` <b> now'
    const text = await it.terminal.until(/\u001b\]777;[^\u001b]*\u001b\\/)
    expect(text).toContain(`\u001b]777;notify;Muster;${words.replace(';', ',')}\u001b\\`)
    expect(bells(text)).toEqual([])
    await expect.poll(said).toBe(`--app-name=Muster\n--urgency=normal\n--\n${words}\n\n`)
  })

  it('shows notices where there is no terminal, and nothing fails without the program', async () => {
    const { PATH, said } = notifySend()
    const it = await daemon()
    openSockets(it)
    for (const variables of [{ PATH }, { PATH: dirname(process.execPath) }]) {
      const muster = await cliFor(it, 'MANAGER', variables)
      const listens = requested(it, /\/inbox\?/)
      const text = muster.until(/Item last-?\d?\t[^\n]*\n/, 'watch', '-n', '0', '--notify')
      await listens
      const run = variables.PATH === PATH ? 1 : 2
      put(it, { source: `a${run}`, blocking: true, priority: 'urgent' })
      if (run === 1) await expect.poll(said).toContain('--urgency=critical\n--\nada: Item a1\n')
      put(it, { source: `last-${run}` })
      expect(await text).not.toContain('\u001b')
    }
    expect(said()).not.toContain('a2')
  })

  it('is plain and silent where there is no terminal', async () => {
    const it = await daemon()
    const muster = await cliFor(it, 'MANAGER')
    openSockets(it)
    const listens = requested(it, /\/inbox\?/)
    const text = muster.until(/inbox\t[^\n]*\n/, 'watch', '-n', '0')
    await listens
    put(it, { source: 'a', blocking: true })
    expect(await text).toMatch(/^inbox\tmedium\tmessage\tada\tItem a\tibx_message_a$/m)
    expect(await text).not.toContain('\u0007')
  })
})

describe('muster chat', () => {
  it.each([[true], [false]])('tells and rings when something new needs the user (bell: %s)', async (bell) => {
    const it = await workplace()
    openSockets(it)
    const listens = requested(it, /\/inbox\?/, 3)
    const terminal = (await cliFor(it, 'OWNER')).terminal(['chat', 'ada', ...(bell ? [] : ['--no-bell'])], {
      env: { NO_COLOR: '1' },
    })
    if (bell) await listens
    else await terminal.until(/›/)
    put(it, { source: 'quiet' })
    put(it, { source: 'q', kind: 'escalation', blocking: true, title: 'May I?' })
    if (bell)
      expect(bells(await terminal.until(/ada: May I\? · muster inbox/))).toEqual(['\u0007\u001b]9;ada: May I?\u0007'])
    terminal.type('/help\r')
    const text = await terminal.until(/what can be typed here/)
    expect(bells(text)).toHaveLength(bell ? 1 : 0)
    expect(text).not.toContain('Item quiet')
  })
})
