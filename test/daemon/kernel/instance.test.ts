import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { provesInstance } from '#client/instance'
import { openInstance } from '#kernel/instance'

let dir: string
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'muster-instance-'))
})
afterEach(() => rmSync(dir, { recursive: true }))

const challenge = '0'.repeat(64)
const asked = { localAddress: '127.0.0.1', localPort: 8080 }
const keyOf = () => readFileSync(join(dir, 'instance.key'), 'utf8')

it('proves itself with a key that only its user can read, the same after every start', () => {
  const first = openInstance(dir).prove(challenge, asked)
  expect(provesInstance(keyOf(), challenge, { address: '127.0.0.1', port: 8080 }, first.proof)).toBe(true)
  expect(statSync(join(dir, 'instance.key')).mode & 0o777).toBe(0o600)
  expect(openInstance(dir).prove(challenge, asked)).toEqual(first)
  expect(openInstance(dir).prove(challenge, {}).proof).not.toBe(first.proof)
})

it.each(['', '\n', '0', 'x'.repeat(64)])('takes no %j for a key', (text) => {
  writeFileSync(join(dir, 'instance.key'), text)
  openInstance(dir)
  expect(keyOf()).toMatch(/^[0-9a-f]{64}$/)
  expect(readdirSync(dir).filter((name) => name.startsWith('instance.key.lost-'))).toHaveLength(1)
})
