import { Resolver } from 'node:dns/promises'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createNames } from '#runtime/sidecar/resolve'
import { openNameServer, type Zone } from '../../../support/name-server.ts'
import { onEnd } from './support.ts'

async function nameServer(zone: Zone): Promise<string> {
  const { port, close } = await openNameServer('127.0.0.1', zone)
  onEnd(close)
  return `127.0.0.1:${port}`
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
    names.use([
      await nameServer({
        'a.example': { a: '1.2.3.4', aaaa: '20010db8000000000000000000000001' },
        'b.example': { a: '5.6.7.8' },
      }),
    ])
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
    own.setServers([
      await nameServer({ 'a.example': { a: '1.1.1.1' }, 'b.example': { a: '2.2.2.2' }, peer: { a: '10.0.0.7' } }),
    ])
    const names = createNames(hosts(''), own)
    names.use([await nameServer({ 'a.example': { code: 2 }, 'b.example': { a: '9.9.9.9' }, peer: { a: '9.9.9.9' } })])
    expect(await names.resolve('peer')).toEqual(['10.0.0.7']) // a neighbour's name, which only the engine knows
    expect(await names.resolve('b.example')).toEqual(['9.9.9.9'])
    expect(await names.resolve('a.example')).toEqual(['1.1.1.1'])
    expect(await names.resolve('b.example')).toEqual(['2.2.2.2'])
  })

  it('in the hosts file win, in any case, and need no server', async () => {
    const names = createNames(
      hosts(
        '127.0.0.1 localhost\n# 1.1.1.1 no.example\n10.0.0.1\tHost.Docker.internal gateway # 2.2.2.2 x\nfd00::1 ' +
          'gateway\n',
      ),
    )
    names.use([await nameServer({})])
    expect(await names.resolve('host.docker.internal')).toEqual(['10.0.0.1'])
    expect(await names.resolve('gateway')).toEqual(['10.0.0.1', 'fd00::1'])
    expect(await names.resolve('no.example')).toEqual([])
    expect(await names.resolve('x')).toEqual([])
  })
})
