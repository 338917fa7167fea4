import { describe, expect, it } from 'vitest'
import { newRecoveryCode, newSecret, stepOf, typed, uriOf } from '../../../../daemon/features/totp/rules.ts'
import { codeAt } from '../../../support/totp.ts'

const secret = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ'

describe('codes', () => {
  // RFC 6238, appendix B, SHA-1: the last six of its eight digits.
  it.each([
    [59, '287082'],
    [1_111_111_109, '081804'],
    [1_111_111_111, '050471'],
    [1_234_567_890, '005924'],
    [2_000_000_000, '279037'],
    [20_000_000_000, '353130'],
  ])('are those of RFC 6238 at %d', (seconds, code) => {
    expect(stepOf(secret, code, seconds * 1000)).toBe(Math.floor(seconds / 30))
    expect(codeAt(secret, seconds * 1000)).toBe(code)
  })

  it('are taken one step early or late, not two', () => {
    const at = 1_234_567_890_000
    const step = Math.floor(at / 30_000)
    const taken = [-2, -1, 0, 1, 2].map((away) => stepOf(secret, codeAt(secret, at + away * 30_000), at))
    expect(taken).toEqual([null, step - 1, step, step + 1, null])
  })

  it('are never others', () => {
    for (const code of ['', '28708', '2870820', '94287082', 'abcdef']) expect(stepOf(secret, code, 59_000)).toBeNull()
  })
})

it('a secret has 160 bits of its own', () => {
  const secrets = new Set(Array.from({ length: 50 }, newSecret))
  expect(secrets.size).toBe(50)
  for (const one of secrets) expect(one).toMatch(/^[A-Z2-7]{32}$/)
})

it('an app is told everything by the address', () => {
  const url = new URL(uriOf('ada+x@example.com', secret))
  expect([url.protocol, url.host]).toEqual(['otpauth:', 'totp'])
  expect(decodeURIComponent(url.pathname)).toBe('/Muster:ada+x@example.com')
  expect(Object.fromEntries(url.searchParams)).toEqual({
    issuer: 'Muster',
    secret,
    algorithm: 'SHA1',
    digits: '6',
    period: '30',
  })
})

it('a recovery code is read as people type it', () => {
  for (let n = 0; n < 50; n++) expect(newRecoveryCode()).toMatch(/^[0-9a-hjkmnp-tv-z]{5}-[0-9a-hjkmnp-tv-z]{5}$/)
  expect(typed(' 01ABC-defgh ')).toEqual({ kind: 'recovery', code: '01abcdefgh' })
  expect(typed('oiabc defgl')).toEqual({ kind: 'recovery', code: '01abcdefg1' })
  expect(typed('123 456')).toEqual({ kind: 'app', code: '123456' })
  for (const text of [
    '',
    '12345',
    '1234567',
    '01abcdefg',
    '01abcdefghj',
    'u1abcdefgh',
    '１２３４５６',
    'é1abcdefgh',
    '-',
  ])
    expect(typed(text), text).toBeNull()
})
