import { describe, expect, it } from 'vitest'
import { addPerson, type Person } from '#test'
import { init, result, says } from '../../support/claude-lines.ts'
import { cliFor } from '../../support/cli.ts'
import { openSockets } from '../../support/live.ts'
import { workplace } from '../../support/runs.ts'

async function office() {
  const it = await workplace()
  const sockets = openSockets(it)
  const grace = it.app.writeNow(() => addPerson(it.app, 'MEMBER', it.workspace))
  it.app.db.prepare("UPDATE users SET full_name = 'Grace Hopper' WHERE id = ?").run(grace.userId)
  return { ...it, sockets, grace, muster: await cliFor(it), hers: await cliFor(it, grace) }
}

describe('muster rooms', () => {
  it('opens, lists, talks, reads and continues, for people and for programs', async () => {
    const { muster, hers, grace } = await office()
    const opened = await muster.run('rooms', 'create', 'Build', '--agent', 'ada', '--member', grace.email)
    expect(opened).toMatchObject({ code: 0, stderr: expect.stringContaining('Opened room') })
    const sent = await muster.run('rooms', 'send', 'Build', 'Hello', '--json=seq,content')
    expect(JSON.parse(sent.stdout)).toEqual({ seq: 2, content: 'Hello' })
    expect(await muster.pipe('Piped\n', 'rooms', 'send', 'Build', '-')).toMatchObject({ code: 0 })
    expect(JSON.parse((await hers.run('rooms', '--json=title,kind,unread_count,last_seq')).stdout)).toEqual([
      { title: 'Build', kind: 'channel', unread_count: 2, last_seq: 3 },
    ])
    const said = JSON.parse((await hers.run('rooms', 'messages', 'Build', '--json=seq,kind,content')).stdout)
    expect(said.slice(1)).toEqual([
      { seq: 2, kind: 'message', content: 'Hello' },
      { seq: 3, kind: 'message', content: 'Piped\n' },
    ])
    const before = await hers.run('rooms', 'messages', 'Build', '--before', '3', '--limit', '1', '--jq', '.[].seq')
    expect(before.stdout).toBe('2\n')
    expect((await hers.run('rooms', 'read', 'Build', '--jq', '.last_read_seq')).stdout).toBe('3\n')
    expect((await hers.run('rooms', 'show', 'Build', '--jq', '.unread_count')).stdout).toBe('0\n')
    expect((await muster.run('rooms', 'create', 'Friends', '--member', grace.email)).code).toBe(0)
    const args = ['rooms', 'continue', 'Friends', 'More', '--agent', 'ada', '--client-id', 'once', '--jq', '.id']
    const [one, two] = [await muster.run(...args), await muster.run(...args)]
    expect([one.code, two.code, two.stdout]).toEqual([0, 0, one.stdout])
    const other = ['rooms', 'continue', 'Friends', 'Else', '--agent', 'ada', '--client-id', 'once']
    expect(await muster.run(...other)).toMatchObject({ code: 5, stderr: expect.stringContaining('--client-id') })
    expect(await muster.run('rooms', 'show', 'Nowhere')).toMatchObject({ code: 3 })
  })
})

describe('muster dm', () => {
  it('says something to a person, from the line or a pipe, in one room', async () => {
    const { muster, hers, grace } = await office()
    expect(await muster.run('dm', grace.email, 'Hello')).toMatchObject({ code: 0 })
    expect(await muster.pipe('And more', 'dm', grace.email, '-q')).toMatchObject({ code: 0 })
    const rooms = JSON.parse((await hers.run('rooms', '--json')).stdout)
    expect(rooms).toMatchObject([{ is_direct: true, last_seq: 2, unread_count: 2 }])
    expect(await muster.pipe('By a dash', 'dm', grace.email, '-', '--json=content')).toMatchObject({
      stdout: expect.stringContaining('By a dash'),
    })
    expect(await muster.pipe(' ', 'dm', grace.email)).toMatchObject({ code: 2 })
    expect(await muster.run('dm', 'nobody@example.com', 'x')).toMatchObject({ code: 3 })
    expect(await muster.pipe('', 'rooms', 'open', rooms[0].id)).toMatchObject({ code: 2 })
  })

  it('is a conversation at a terminal: both see what is said as it is said', async () => {
    const place = await office()
    const { muster, hers, grace } = place
    const mine = muster.screen(['dm', grace.email, '--no-color'])
    await mine.until(/Enter sends/)
    mine.type('hello there\r')
    await mine.until(/› hello there/)
    const owner = place.person('OWNER').email
    const other = hers.screen(['dm', owner, '--no-color'])
    await other.until(/The OWNER[\s\S]*hello there/)
    other.type('good **morning**\r')
    await mine.until(/Grace Hopper[\s\S]*good morning/)
    mine.type('/who\r')
    await mine.until(/The OWNER, Grace Hopper/)
    mine.type('/cancel\r')
    await mine.until(/Nobody is at work here/)
    mine.type('/nonsense\r')
    await mine.until(/There is no \/nonsense/)
    mine.type('/quit\r')
    expect(await mine.ended).toBe(0)
    other.type('\u0004')
    expect(await other.ended).toBe(0)
    expect((await hers.run('rooms', '--jq', '.[0].unread_count')).stdout).toBe('0\n')
  })

  it('shows the agent of a channel at work, and what it says', async () => {
    const place = await office()
    const { muster, runtime } = place
    await muster.run('rooms', 'create', 'Build', '--agent', 'ada')
    const shown = muster.screen(['rooms', 'open', 'Build', '--no-color'])
    await shown.until(/Agent ada joined/)
    shown.type('@ada hello\r')
    await shown.until(/ada is at work/)
    const program = await runtime.program(0)
    runtime.print(program, init, says('At your **service**.'), result())
    runtime.finish(program)
    await shown.until(/Agent ada[\s\S]*At your service\./)
    const run = (await muster.run('runs', 'list', '--jq', '.[0].id')).stdout.trim()
    expect((await muster.run('runs', 'show', run, '--jq', '.said')).stdout).toBe('At your **service**.\n')
    const stranger = await cliFor(place, 'ADMIN')
    expect(await stranger.run('runs', 'show', run, '--jq', '.said')).toMatchObject({ code: 0, stdout: '' })
    expect(await stranger.run('runs', 'logs', run)).toMatchObject({
      code: 3,
      stderr: expect.stringContaining('for the members of its room alone'),
    })
    shown.type('\u0004')
    expect(await shown.ended).toBe(0)
  })

  it('shows what was said while the connection was lost, and ends when the room is closed to one', async () => {
    const place = await office()
    const { hers, grace } = place
    const body = { kind: 'group', title: 'Both', member_ids: [grace.userId], client_id: 'x' }
    const { id } = (await place.call('OWNER', 'POST', '/conversations', body)).body
    const say = (content: string) =>
      place.call('OWNER', 'POST', `/conversations/${id}/messages`, { content, client_id: content })
    const shown = hers.screen(['rooms', 'open', 'Both', '--no-color'])
    await shown.until(/Enter sends/)
    await say('first')
    await shown.until(/first/)
    place.sockets.close()
    await shown.until(/The connection is lost/)
    await say('second')
    openSockets(place)
    await shown.until(/second/)
    await leave(place, grace)
    expect(await shown.ended).not.toBe(0)
    expect(shown.text()).toMatch(/access revoked/)
    expect(shown.text().match(/second/g)).toHaveLength(1)
  })
})

async function leave(place: Awaited<ReturnType<typeof office>>, { userId }: Person) {
  const { body } = await place.call('OWNER', 'GET', `/workspaces/${place.workspace}/members`)
  const { id } = body.find((member: { user_id: string }) => member.user_id === userId)
  await place.call('OWNER', 'DELETE', `/workspaces/${place.workspace}/members/${id}`)
}
