import { randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createVault } from '#kernel/store/vault'

const key = randomBytes(32)
const vault = createVault(key)

describe('seal and open', () => {
  it('give back any text', () =>
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 2000 }), fc.string(), (text, row) => {
        const sealed = vault.seal(text, row)
        expect(sealed).toMatch(/^v1:[A-Za-z0-9+/]+=*$/)
        expect(vault.open(sealed, row)).toBe(Buffer.from(text).toString())
      }),
    ))

  it('never makes the same of the same', () => expect(vault.seal('x', 'row')).not.toBe(vault.seal('x', 'row')))
  it('does not open for another row', () =>
    expect(() => vault.open(vault.seal('x', 'credentials:1'), 'credentials:2')).toThrow())
  it('does not open with another key', () =>
    expect(() => createVault(randomBytes(32)).open(vault.seal('x', 'row'), 'row')).toThrow())

  it('does not open when any byte was changed', () => {
    const sealed = vault.seal('secret', 'row')
    const bytes = Buffer.from(sealed.slice(3), 'base64')
    for (const index of bytes.keys()) {
      const changed = Buffer.from(bytes)
      changed[index] = changed[index]! ^ 1
      expect(() => vault.open(`v1:${changed.toString('base64')}`, 'row'), `byte ${index}`).toThrow()
    }
  })

  it.each([
    '',
    'v1',
    'v1:',
    'v2:AAAA',
    'plain text',
    vault.seal('x', 'row').replace('v1', 'v2'),
    `v1:${Buffer.alloc(27).toString('base64')}`,
    `v1:${Buffer.alloc(12).toString('base64')}`,
  ])('does not open "%s"', (sealed) => expect(() => vault.open(sealed, 'row')).toThrow())
})

it('derives keys that stay the same, one for each purpose', () => {
  expect(vault.derive('a')).toEqual(createVault(key).derive('a'))
  expect(vault.derive('a')).not.toEqual(vault.derive('b'))
  expect(vault.derive('a')).toHaveLength(32)
})

it('derives the keys that data of before was sealed with: HKDF of RFC 5869, without a salt', () => {
  const { derive } = createVault(Buffer.alloc(32, 7))
  expect(derive('ws-token').toString('hex')).toBe('7267caddd95e1db736e502215c61c6fbacd88a24520e58e7bedbd23932c3ced3')
  expect(derive('ws-token', 16)).toEqual(derive('ws-token').subarray(0, 16))
})

it.each([0, 16, 31, 33])('refuses a key of %i bytes', (size) =>
  expect(() => createVault(Buffer.alloc(size))).toThrow(/32 bytes/),
)
