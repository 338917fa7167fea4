import { Buffer } from 'node:buffer'
import { createSocket } from 'node:dgram'
import { Resolver } from 'node:dns/promises'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createNames } from '#runtime/sidecar/resolve'
import { onEnd } from './support.ts'

type Zone = Record<string, { a?: string; aaaa?: string; code?: number }>

/** A name server on loopback that knows one zone. */
async function nameServer(zone: Zone): Promise<string> {
  const socket = createSocket('udp4')
  socket.on('message', (query, { port, address }) => socket.send(reply(query, zone), port, address))
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  onEnd(() => socket.close())
  return `127.0.0.1:${socket.address().port}`
}

function reply(query: Buffer, zone: Zone): Buffer {
  const labels: string[] = []
  let at = 12
  for (let length = query[at]!; length; length = query[at]!) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length))
    at += length + 1
  }
  const question = query.subarray(12, at + 5)
  const known = zone[labels.join('.').toLowerCase()]
  const four = query.readUInt16BE(at + 1) === 1
  const value = four ? known?.a : known?.aaaa
  const data = value && Buffer.from(four ? value.split('.').map(Number) : value.match(/../g)!.map((it) => Number.parseInt(it, 16)))
  const answer = data ? Buffer.concat([Buffer.from([0xc0, 12, 0, four ? 1 : 28, 0, 1, 0, 0, 0, 60, 0, data.length]), data]) : Buffer.alloc(0)
  const head = Buffer.from([query[0]!, query[1]!, 0x81, 0x80 | (known ? (known.code ?? 0) : 3), 0, 1, 0, data ? 1 : 0, 0, 0, 0, 0])
  return Buffer.concat([head, question, answer])
}

function hosts(text: string): string {
  const directory = mkdtempSync(join(tmpdir(), 'hosts-'))
  onEnd(() => rmSync(directory, { recursive: true }))
  writeFileSync(join(directory, 'hosts'), text)
  return join(directory, 'hosts')
}

describe('names', () => {
  it('are asked of the name servers that it was told to use', async () => {
    const names = createNames(hosts(''))
    names.use([await nameServer({ 'a.example': { a: '1.2.3.4', aaaa: '20010db8000000000000000000000001' }, 'b.example': { a: '5.6.7.8' } })])
    expect(await names.resolve('a.example')).toEqual(['1.2.3.4', '2001:db8::1'])
    expect(await names.resolve('b.example')).toEqual(['5.6.7.8'])
    names.use([await nameServer({ 'a.example': { a: '9.9.9.9' } })])
    expect(await names.resolve('a.example')).toEqual(['9.9.9.9'])
  })

  it('that do not exist lead nowhere; a server that fails is an error', async () => {
    const server = await nameServer({ 'broken.example': { code: 2 } })
    const own = new Resolver()
    own.setServers([server])
    const names = createNames(hosts(''), own)
    names.use([server])
    expect(await names.resolve('ghost.example')).toEqual([])
    await expect(names.resolve('broken.example')).rejects.toThrow('SERVFAIL')
  })

  it('are asked of the other servers when the first ones fail, and of those first from then on', async () => {
    const own = new Resolver({ timeout: 1500, tries: 1 })
    own.setServers([await nameServer({ 'a.example': { a: '1.1.1.1' }, 'b.example': { a: '2.2.2.2' }, peer: { a: '10.0.0.7' } })])
    const names = createNames(hosts(''), own)
    names.use([await nameServer({ 'a.example': { code: 2 }, 'b.example': { a: '9.9.9.9' }, peer: { a: '9.9.9.9' } })])
    expect(await names.resolve('peer')).toEqual(['10.0.0.7']) // a neighbour's name, which only the engine knows
    expect(await names.resolve('b.example')).toEqual(['9.9.9.9'])
    expect(await names.resolve('a.example')).toEqual(['1.1.1.1'])
    expect(await names.resolve('b.example')).toEqual(['2.2.2.2'])
  })

  it('in the hosts file win, in any case, and need no server', async () => {
    const names = createNames(hosts('127.0.0.1 localhost\n# 1.1.1.1 no.example\n10.0.0.1\tHost.Docker.internal gateway # 2.2.2.2 x\nfd00::1 gateway\n'))
    names.use([await nameServer({})])
    expect(await names.resolve('host.docker.internal')).toEqual(['10.0.0.1'])
    expect(await names.resolve('gateway')).toEqual(['10.0.0.1', 'fd00::1'])
    expect(await names.resolve('no.example')).toEqual([])
    expect(await names.resolve('x')).toEqual([])
  })
})
