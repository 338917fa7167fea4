import { once } from 'node:events'
import { connect } from 'node:net'
import { expect, it } from 'vitest'
import { withoutIpv6 } from '#runtime/sidecar/server'
import { config, sidecar } from './support.ts'

const uid = process.getuid!()
const owned = (owner: number) =>
  config([], {}, { agents: { 'key-ada': { agentId: 'agent-ada', slug: 'ada', uid: owner, credentials: [] } } })

async function ask(port: number): Promise<string> {
  const socket = connect(port, '127.0.0.1')
  socket.write('CONNECT permitted.example:443 HTTP/1.1\r\n\r\n')
  const [said] = (await once(socket, 'data')) as [Buffer]
  socket.destroy()
  return String(said)
}

it('lets nobody out who is no agent of the crew', async () => {
  const at = await sidecar(owned(uid + 1), { isolated: true })
  expect(await ask(at.port)).toContain('who asks is no agent of this crew')
  expect(at.reports).toMatchObject([{ type: 'egress_denied', agentId: null, host: 'permitted.example', port: 443 }])
  at.configure(owned(uid))
  expect(await ask(at.port)).toContain("not in this crew's allowed domains")
})

it('cuts what goes on for an agent that is no longer of the crew, and nothing else', async () => {
  const at = await sidecar(owned(uid), { isolated: true })
  const socket = connect(at.port, '127.0.0.1')
  socket.write('GET /health HTTP/1.1\r\nhost: x\r\n\r\n')
  await once(socket, 'data')
  at.configure(owned(uid))
  socket.write('GET /health HTTP/1.1\r\nhost: x\r\n\r\n')
  await once(socket, 'data')
  const closed = once(socket, 'close')
  at.configure(owned(uid + 1))
  await closed
})

it.each(['EADDRNOTAVAIL', 'EAFNOSUPPORT'])('serves IPv4 alone where IPv6 fails with %s', (code) =>
  expect(withoutIpv6(Object.assign(new Error(), { code }))).toEqual([]),
)

it('does not begin when its port is taken on IPv6', () =>
  expect(() => withoutIpv6(Object.assign(new Error('taken'), { code: 'EADDRINUSE' }))).toThrow('taken'))
