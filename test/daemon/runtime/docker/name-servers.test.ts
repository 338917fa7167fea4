import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { nameServers } from '#runtime/docker/name-servers'

const folder = mkdtempSync(join(tmpdir(), 'resolv-'))
afterAll(() => rmSync(folder, { recursive: true }))

const stub = (text: string) => {
  writeFileSync(join(folder, 'resolv.conf'), text)
  return join(folder, 'resolv.conf')
}

describe('nameServers', () => {
  it('leaves out what only this machine can ask', () => {
    expect(
      nameServers(
        ['127.0.0.1', '[::1]:5353', '::1', 'fe80::1%eth0', '10.0.0.53', '[2001:db8::53]:5353', '9.9.9.9:53'],
        '/nowhere',
      ),
    ).toEqual(['10.0.0.53', '[2001:db8::53]:5353', '9.9.9.9:53'])
  })

  it('asks a stub resolver for the servers behind it', () => {
    expect(
      nameServers(
        ['127.0.0.53'],
        stub('# made by a stub\nnameserver 10.1.1.1\n nameserver fd00::53\nnameserver 127.0.0.1\nsearch x\n'),
      ),
    ).toEqual(['10.1.1.1', 'fd00::53'])
  })

  it('has none where there are none', () => {
    expect(nameServers(['127.0.0.53'], '/nowhere')).toEqual([])
    expect(nameServers(['127.0.0.53'], stub('nameserver nonsense\n'))).toEqual([])
    expect(nameServers(['10.0.0.1'], stub('nameserver 10.9.9.9\n'))).toEqual(['10.0.0.1'])
  })
})
