import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { openStatement, publicKeyOf } from '#client/dsse'
import { ConfigError } from '#kernel/config'
import { openSigner, receiptKeyFile } from '#kernel/signer'
import { AccessRefused, requireOwnFolder } from '../../../daemon/start/access.ts'

let dir: string
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'muster-signer-'))
})
afterEach(() => rmSync(dir, { recursive: true }))

const file = () => join(dir, receiptKeyFile)

it('signs with a key that only its user can read, the same after every start', () => {
  const first = openSigner(dir)
  expect(statSync(file()).mode & 0o777).toBe(0o600)
  expect(readFileSync(file(), 'utf8')).toMatch(/^-----BEGIN PRIVATE KEY-----\n/)
  const again = openSigner(dir)
  expect(again.keyid).toBe(first.keyid)
  const statement = { some: 'statement' }
  expect(again.sign(statement)).toEqual(first.sign(statement))
  expect(JSON.parse(String(openStatement(again.sign(statement), publicKeyOf(first.publicKey))))).toEqual(statement)
})

it('makes a new key where the old one was moved away', () => {
  const first = openSigner(dir)
  rmSync(file())
  const second = openSigner(dir)
  expect(second.keyid).not.toBe(first.keyid)
  expect(() => openStatement(second.sign({}), publicKeyOf(first.publicKey))).toThrow('It names the key')
})

it.each(['', 'x', '0'.repeat(64), '-----BEGIN PRIVATE KEY-----\nMC4CAQAw\n-----END PRIVATE KEY-----\n'])(
  'refuses a file that holds %j, and leaves it',
  (text) => {
    writeFileSync(file(), text, { mode: 0o600 })
    expect(() => openSigner(dir)).toThrow(ConfigError)
    expect(() => openSigner(dir)).toThrow(`${file()} holds no Ed25519 private key`)
    expect(readFileSync(file(), 'utf8')).toBe(text)
  },
)

it.each([0o640, 0o604, 0o620, 0o602])('is refused at the start while others may use its file (%o)', (mode) => {
  openSigner(dir)
  requireOwnFolder(dir)
  chmodSync(file(), mode)
  expect(() => requireOwnFolder(dir)).toThrow(AccessRefused)
  chmodSync(file(), 0o600)
  requireOwnFolder(dir)
})
