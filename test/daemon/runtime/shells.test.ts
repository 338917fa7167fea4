import { once } from 'node:events'
import { describe, expect, it } from 'vitest'
import { type RawData, WebSocket } from 'ws'
import type { Role } from '#contract/roles'
import { noContainer } from '#kernel/absent'
import { closing, type Person } from '#test'
import { want } from '../../../daemon/features/crews/containers/service.ts'
import { createShells } from '../../../daemon/runtime/shells.ts'
import { openSockets } from '../../support/live.ts'
import { workplace } from '../../support/runs.ts'

type Told = Record<string, unknown> & { type: string }

/** A daemon that has shells, and ways to open them. */
async function place() {
  const it = await workplace()
  const shells = closing(createShells(it.app, it.runtime))
  it.app.shells = shells
  await it.app.write(() => want(it.app, it.crewId, 'running', null))
  it.app.runtime = { ...it.app.runtime, status: async () => ({ ...noContainer, state: 'running' }) }
  openSockets(it)
  const connect = async (who: Person) => {
    const { body } = await it.call(who, 'GET', '/ws-token')
    const client = new Client(new WebSocket(`${it.base.replace('http', 'ws')}/ws/terminal`))
    await once(client.socket, 'open')
    client.send({ type: 'auth', token: body.token })
    return client
  }
  const open = async (who: Person, more = {}) => {
    const client = await connect(who)
    client.send({ mode: 'shell', crew_id: it.crewId, agent_slug: 'ada', rows: 24, cols: 80, ...more })
    return client
  }
  const audits = () =>
    it
      .entries()
      .filter(({ payload }) => (payload as { entity_type?: string })?.entity_type === 'shell')
      .map(({ summary, actor_id, payload }) => ({ summary, actor_id, payload }))
  const shell = (n = 0) => [...it.runtime.shells.values()][n]!
  return { it, shells, connect, open, audits, shell }
}

class Client {
  readonly socket: WebSocket
  readonly told: Told[] = []
  output = ''
  readonly closed: Promise<number>

  constructor(socket: WebSocket) {
    this.socket = socket
    this.closed = once(socket, 'close').then(([code]) => code as number)
    socket.on('message', (data: RawData, binary: boolean) => {
      if (binary) this.output += String(data)
      else this.told.push(JSON.parse(String(data)) as Told)
    })
  }

  send(frame: object): void {
    this.socket.send(JSON.stringify(frame))
  }

  /** The n-th thing that the server says. */
  async says(n = 0): Promise<Told> {
    await expect.poll(() => this.told.length).toBeGreaterThan(n)
    return this.told[n]!
  }
}

describe('a shell', () => {
  it('carries keys, output and sizes, and is recorded without what was typed', async () => {
    const { it, open, audits, shell } = await place()
    const manager = it.person('MANAGER')
    const client = await open(manager)
    expect(await client.says()).toMatchObject({ type: 'info', agent: 'ada', offset: 0, truncated: false })
    shell().show('$ ')
    await expect.poll(() => client.output).toBe('$ ')
    client.socket.send(Buffer.from('secret words\r'))
    await expect.poll(() => shell().typed).toBe('secret words\r')
    client.send({ type: 'resize', rows: 40, cols: 9999 })
    await expect.poll(() => shell().sizes.at(-1)).toEqual({ rows: 40, cols: 500 })
    it.clock.advance(65_000)
    shell().stream.push(null)
    expect(await client.closed).toBe(1000)
    expect(client.told.at(-1)).toMatchObject({ type: 'info', ended: 'left' })
    await expect.poll(audits).toMatchObject([
      { summary: `${manager.email} opened a shell as Agent ada in the crew backend`, actor_id: manager.userId },
      { payload: { action: 'shell.close', metadata: { seconds: 65 } }, actor_id: manager.userId },
    ])
    expect(JSON.stringify(it.entries())).not.toContain('secret words')
  })

  it('survives a lost connection: the same person in the same session gets what came meanwhile', async () => {
    const { it, connect, open, shell } = await place()
    const manager = it.person('MANAGER')
    const client = await open(manager)
    const { shell_id, token } = await client.says()
    shell().show('before ')
    await expect.poll(() => client.output).toBe('before ')
    client.socket.terminate()
    await client.closed
    shell().show('meanwhile ')
    const again = await connect(manager)
    again.send({ mode: 'attach', shell_id, token, offset: 7, rows: 24, cols: 80 })
    expect(await again.says()).toMatchObject({ shell_id, offset: 7, truncated: false })
    await expect.poll(() => again.output).toBe('meanwhile ')
    const third = await connect(manager)
    third.send({ mode: 'attach', shell_id, token, offset: 17 })
    expect(await again.closed).toBe(1000)
    expect(again.told.at(-1)).toMatchObject({ ended: 'replaced' })
    third.send({ type: 'close' })
    expect(await third.closed).toBe(1000)
  })

  it('is nobody else’s, whatever they show', async () => {
    const { it, connect, open } = await place()
    const client = await open(it.person('MANAGER'))
    const { shell_id, token } = await client.says()
    for (const [who, given] of [
      [it.person('OWNER'), token],
      [it.person('MANAGER'), 'x'],
    ] as const) {
      const other = await connect(who)
      other.send({ mode: 'attach', shell_id, token: given, offset: 0 })
      expect(await other.says()).toMatchObject({ type: 'error', code: 'not_found' })
      expect(await other.closed).toBe(1008)
    }
  })

  it('is refused to members and strangers, in a strict crew, and as nobody', async () => {
    const { it, open, audits } = await place()
    const refused = async (who: Person, more = {}) => (await (await open(who, more)).says())['code']
    expect(await refused(it.person('MEMBER'))).toBe('insufficient_role')
    expect(await refused(it.stranger())).toBe('not_found')
    expect(await refused(it.person('OWNER'), { agent_slug: 'bob' })).toBe('not_found')
    expect(await refused(it.person('OWNER'), { crew_id: 'c000000000000000000000000' })).toBe('not_found')
    const policy = { autonomy_level: 'strict', behavior_mode: 'block' }
    const set = await it.call('OWNER', 'PUT', `/crews/${it.crewId}/policy`, policy)
    expect(set.status, set.text).toBe(200)
    expect(await refused(it.person('OWNER'))).toBe('policy_refused')
    expect(audits()).toEqual([])
  })

  it('is limited in number, and a place is free again after the end', async () => {
    const { it, open } = await place()
    const manager = it.person('MANAGER')
    const clients = [await open(manager), await open(manager), await open(manager), await open(manager)]
    for (const it of clients) await it.says()
    expect(await (await open(manager)).says()).toMatchObject({ type: 'error', code: 'rate_limited' })
    clients[0]!.send({ type: 'close' })
    await clients[0]!.closed
    expect(await (await open(manager)).says()).toMatchObject({ type: 'info' })
  })

  it('ends with the token that it was opened with, also while nobody is connected', async () => {
    const { it, open, audits, shell } = await place()
    const client = await open(it.person('MANAGER'))
    await client.says()
    client.socket.terminate()
    await client.closed
    const { body } = await it.call('MANAGER', 'GET', '/auth/cli-tokens')
    await it.call('MANAGER', 'DELETE', `/auth/cli-tokens/${body.data[0].id}`)
    await expect.poll(() => audits().length).toBe(2)
    expect(audits()[1]!.payload).toMatchObject({ metadata: { reason: 'signed_out' } })
    expect(shell().stream.destroyed).toBe(true)
  })

  it('ends when its person loses the role or the membership, or the policy becomes strict', async () => {
    const { it, open, audits, shell } = await place()
    // One after the other, so that the third shell is the third person's.
    const clients = []
    for (const role of ['MANAGER', 'ADMIN', 'OWNER'] as const) {
      const client = await open(it.person(role))
      await client.says()
      clients.push(client)
    }
    const [demoted, removed, kept] = clients
    const { body: members } = await it.call('OWNER', 'GET', `/workspaces/${it.workspace}/members`)
    const member = (role: Role) =>
      `/workspaces/${it.workspace}/members/${members.find((row: { role: Role }) => row.role === role).id}`
    const demotion = await it.call('OWNER', 'PATCH', member('MANAGER'), { role: 'MEMBER' })
    const removal = await it.call('OWNER', 'DELETE', member('ADMIN'))
    expect([demotion.status, removal.status]).toEqual([200, 200])
    for (const client of [demoted!, removed!]) {
      expect(await client.closed).toBe(1000)
      expect(client.told.at(-1)).toMatchObject({ ended: 'refused' })
    }
    shell(2).show('still here')
    await expect.poll(() => kept!.output).toBe('still here')
    await it.call('OWNER', 'PUT', `/crews/${it.crewId}/policy`, { autonomy_level: 'strict', behavior_mode: 'block' })
    expect(await kept!.closed).toBe(1000)
    expect(kept!.told.at(-1)).toMatchObject({ ended: 'refused' })
    const ends = audits().slice(3)
    expect(ends.map(({ payload }) => (payload as { metadata: object }).metadata)).toEqual([
      { seconds: 0, reason: 'refused' },
      { seconds: 0, reason: 'refused' },
      { seconds: 0, reason: 'refused' },
    ])
    for (const n of [0, 1, 2]) expect(shell(n).stream.destroyed).toBe(true)
  })

  it('ends after twelve hours', async () => {
    const { it, open, audits, shell } = await place()
    const client = await open(it.person('MANAGER'))
    await client.says()
    it.clock.advance(12 * 60 * 60_000 - 1)
    it.app.bus.emit('access_lost', it.workspace)
    shell().show('still here')
    await expect.poll(() => client.output).toBe('still here')
    it.clock.advance(1)
    expect(await client.closed).toBe(1000)
    expect(client.told.at(-1)).toMatchObject({ ended: 'too_long' })
    expect(audits()[1]!.payload).toMatchObject({ metadata: { seconds: 43_200, reason: 'too_long' } })
  })

  it('ends with the daemon, and what a killed one left is ended and recorded by the next', async () => {
    const { it, shells, open, audits } = await place()
    await (await open(it.person('MANAGER'))).says()
    const left = it.app.db.prepare('SELECT * FROM shells').all() as Record<string, unknown>[]
    await shells.close()
    expect(audits()[1]!.payload).toMatchObject({ metadata: { reason: 'daemon' } })
    const columns = Object.keys(left[0]!)
    it.app.db
      .prepare(`INSERT INTO shells (${columns.join(', ')}) VALUES (${columns.map((name) => `@${name}`).join(', ')})`)
      .run(left[0])
    const ends = it.runtime.left.length
    const next = closing(createShells(it.app, it.runtime))
    await next.recover()
    expect(audits()).toHaveLength(3)
    expect(it.runtime.left.length).toBe(ends + 1)
    expect(it.app.db.prepare('SELECT count(*) AS n FROM shells').get()).toEqual({ n: 0 })
  })

  it('is one for each connection, and takes what was typed while it was opened', async () => {
    const { it, open, shell } = await place()
    const client = await open(it.person('MANAGER'))
    client.send({ mode: 'shell', crew_id: it.crewId, agent_slug: 'ada' })
    client.socket.send(Buffer.from('early'))
    await client.says()
    await expect.poll(() => shell().typed).toBe('early')
    expect(it.runtime.shells.size).toBe(1)
  })

  it('asks for a token first, and for something that there is', async () => {
    const { it, connect } = await place()
    const stranger = new Client(new WebSocket(`${it.base.replace('http', 'ws')}/ws/terminal`))
    await once(stranger.socket, 'open')
    stranger.send({ type: 'auth', token: 'x' })
    expect(await stranger.closed).toBe(4401)
    const lost = await connect(it.person('OWNER'))
    lost.send({ mode: 'attach' })
    expect(await lost.closed).toBe(1008)
  })
})
