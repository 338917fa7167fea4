import { once } from 'node:events'
import { expect, it } from 'vitest'
import { WebSocket } from 'ws'
import { addPerson, closing, daemon, type Person, type TestDaemon } from '#test'
import { openSockets } from '../../../support/live.ts'

type Frame = { type: string; channel?: string; payload?: Record<string, unknown> }

/** Signs in and gives the frames one by one, keep-alives aside. */
async function connect(place: TestDaemon, base: string, who: Person) {
  const socket = closing(new WebSocket(`${base.replace('http', 'ws')}/ws`))
  const heard: Frame[] = []
  let wake = () => {}
  socket.on('message', (data) => {
    const frame = JSON.parse(String(data)) as Frame
    if (frame.type !== 'ping') heard.push(frame)
    wake()
  })
  await once(socket, 'open')
  const next = async (): Promise<Frame> => {
    while (!heard.length) await new Promise<void>((resolve) => (wake = resolve))
    return heard.shift()!
  }
  const say = (frame: object) => socket.send(JSON.stringify(frame))
  say({ type: 'auth', token: (await place.call(who, 'GET', '/ws-token')).body.token })
  await next()
  return { say, next }
}

it('tells members of a room what is said there, strangers nothing, and drops who leaves the workspace', async () => {
  const place = await daemon()
  const base = await place.http.listen({ host: '127.0.0.1', port: 0 })
  openSockets(place)
  const owner = place.person('OWNER')
  const grace = place.app.writeNow(() => addPerson(place.app, 'MEMBER', place.workspace))
  const [hers, admins] = [await connect(place, base, grace), await connect(place, base, place.person('ADMIN'))]
  hers.say({ type: 'subscribe', channel: `user:${grace.userId}` })
  hers.say({ type: 'ping' })
  expect((await hers.next()).type).toBe('pong')

  const body = { kind: 'group', title: 'x', member_ids: [grace.userId], client_id: 'x' }
  const { id } = (await place.call(owner, 'POST', '/conversations', body)).body
  expect(await hers.next()).toMatchObject({ type: 'room.created', payload: { id, title: 'x', unread_count: 0 } })

  const channel = `room:${id}`
  for (const client of [hers, admins]) {
    client.say({ type: 'subscribe', channel })
    client.say({ type: 'ping' })
  }
  expect((await hers.next()).type).toBe('pong')
  expect(await admins.next()).toMatchObject({ type: 'error', channel })
  expect((await admins.next()).type).toBe('pong')

  const said = { content: 'Hello', client_id: 'y' }
  const message = (await place.call(owner, 'POST', `/conversations/${id}/messages`, said)).body
  expect(await hers.next()).toEqual({ type: 'room.message', channel, payload: message })

  const members = (await place.call(owner, 'GET', `/workspaces/${place.workspace}/members`)).body
  const membership = members.find((member: { user_id: string }) => member.user_id === grace.userId).id
  await place.call(owner, 'DELETE', `/workspaces/${place.workspace}/members/${membership}`)
  // What concerns her own leaving is said before she is cut off.
  const frames = [await hers.next(), await hers.next(), await hers.next()]
  expect(frames.map(({ type }) => type)).toEqual(['room.message', 'room.updated', 'error'])
  expect(frames[2]).toMatchObject({ channel, payload: { message: 'access revoked' } })
  await place.call(owner, 'POST', `/conversations/${id}/messages`, { content: 'Without her', client_id: 'z' })
  for (const client of [hers, admins]) {
    client.say({ type: 'ping' })
    expect((await client.next()).type).toBe('pong')
  }
})
