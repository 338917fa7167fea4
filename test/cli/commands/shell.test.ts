import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { noContainer } from '#kernel/absent'
import { closing } from '#test'
import { want } from '../../../daemon/features/crews/containers/service.ts'
import { createShells } from '../../../daemon/runtime/shells.ts'
import { cli } from '../../support/cli.ts'
import { ending } from '../../support/endings.ts'
import { openSockets } from '../../support/live.ts'
import { workplace } from '../../support/runs.ts'

afterEach(() => {
  vi.useRealTimers()
})

/** A connection to the daemon that can be cut, and that is refused until it is mended. */
async function cable(port: number) {
  const sockets = new Set<Socket>()
  let whole = true
  const server = createServer((near) => {
    if (!whole) return void near.destroy()
    const far = connect(port, '127.0.0.1')
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(one)
      one.on('error', () => {})
      one.on('close', () => other.destroy())
      one.pipe(other)
    }
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const cut = () => {
    whole = false
    for (const socket of sockets) socket.destroy()
    sockets.clear()
  }
  const mend = () => {
    whole = true
  }
  ending(() => {
    cut()
    server.close()
  })
  return { port: (server.address() as AddressInfo).port, cut, mend }
}

/** Somebody in front of a shell of the agent ada, which shows "$ ". */
async function person() {
  const it = await workplace()
  const shells = closing(createShells(it.app, it.runtime))
  it.app.shells = shells
  await it.app.write(() => want(it.app, it.crewId, 'running', null))
  it.app.runtime = { ...it.app.runtime, status: async () => ({ ...noContainer, state: 'running' }) }
  openSockets(it)
  const line = await cable(Number(new URL(it.base).port))
  const { token, workspace } = it.person('MANAGER')
  const env = { SVC_SERVER: `http://127.0.0.1:${line.port}`, SVC_TOKEN: token, SVC_WORKSPACE: workspace }
  const screen = cli(env).screen(['shell', 'ada'])
  await expect.poll(() => it.runtime.shells.size).toBe(1)
  const shell = [...it.runtime.shells.values()][0]!
  shell.show('$ ')
  await screen.until(/\$ /)
  /** A terminal that was given back shows again what is typed. */
  const givenBack = () => {
    screen.type('typed after the end')
    return screen.text().endsWith('typed after the end')
  }
  return { it, shells, line, screen, shell, givenBack }
}

describe('muster shell', () => {
  it('takes a lost connection up again, with what was shown and typed meanwhile', async () => {
    const { line, screen, shell, givenBack } = await person()
    screen.type('make\r')
    await expect.poll(() => shell.typed).toBe('make\r')
    line.cut()
    await screen.until(/The connection is lost; trying again for a minute\./)
    shell.show('built meanwhile')
    screen.type('next\r')
    line.mend()
    await screen.until(/Connected again\.[\s\S]*built meanwhile/)
    await expect.poll(() => shell.typed).toBe('make\rnext\r')
    expect(screen.text().match(/built meanwhile/g)).toHaveLength(1)
    shell.stream.push(null)
    expect(await screen.ended).toBe(0)
    expect(givenBack()).toBe(true)
  })

  it('gives up after a minute, says so and ends with 8', async () => {
    const { line, screen, givenBack } = await person()
    vi.useFakeTimers({ toFake: ['Date'] })
    line.cut()
    await screen.until(/The connection is lost/)
    vi.setSystemTime(Date.now() + 60_001)
    expect(await screen.ended).toBe(8)
    expect(screen.text()).toContain('The connection was lost for more than a minute, so the shell is gone.')
    expect(givenBack()).toBe(true)
  })

  it('is left with Ctrl-C while the connection is lost', async () => {
    const { line, screen, givenBack } = await person()
    line.cut()
    await screen.until(/The connection is lost/)
    screen.type('\x03')
    expect(await screen.ended).toBe(0)
    expect(givenBack()).toBe(true)
  })

  it('says when the server, meanwhile another one, knows the shell no more', async () => {
    const { it, line, screen, givenBack } = await person()
    line.cut()
    await screen.until(/The connection is lost/)
    it.app.shells = closing(createShells(it.app, it.runtime))
    line.mend()
    expect(await screen.ended).toBe(1)
    expect(screen.text()).toContain('The server has this shell no more.')
    expect(givenBack()).toBe(true)
  })

  it('says why a shell ended that the server ended', async () => {
    const { it, shells, screen, givenBack } = await person()
    await shells.close()
    await screen.until(/The server stopped\./)
    expect(await screen.ended).toBe(0)
    expect(givenBack()).toBe(true)
    expect(it.app.db.prepare('SELECT count(*) AS n FROM shells').get()).toEqual({ n: 0 })
  })
})
