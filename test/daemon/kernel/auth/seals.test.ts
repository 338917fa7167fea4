import { randomBytes } from 'node:crypto'
import { CompactEncrypt, EncryptJWT, jwtDecrypt } from 'jose'
import { describe, expect, it } from 'vitest'
import { createSeals } from '#kernel/auth/seals'
import { createVault } from '#kernel/store/vault'

/** 2026-01-01, in seconds. */
const begun = 1_767_225_600
const minutes15 = 900
const days30 = 2_592_000
const subject = { userId: 'user-1', sessionId: 's_1', name: 'Ada', email: 'ada@example.com' }

function setUp() {
  const vault = createVault(randomBytes(32))
  let now = begun * 1000 + 900
  const advance = (ms: number) => {
    now += ms
  }
  return { vault, advance, ...createSeals(vault, () => now) }
}

describe('a session token', () => {
  it.each([
    ['access', begun + minutes15, { name: 'Ada', email: 'ada@example.com' }],
    ['refresh', begun + days30, {}],
  ] as const)('for %s says whose it is and until when', async (kind, expires, more) => {
    const { vault, seal, read } = setUp()
    const sealed = await seal(kind, subject)
    expect(sealed).toEqual({ token: expect.any(String), jti: expect.stringMatching(/^[\w-]{22}$/), expires })
    expect(await read(kind, sealed.token)).toEqual({ userId: 'user-1', sessionId: 's_1', jti: sealed.jti, expires })
    const { payload, protectedHeader } = await jwtDecrypt(sealed.token, vault.derive(`session-${kind}`, 64), {
      currentDate: new Date(begun * 1000),
    })
    expect(payload).toEqual({ id: 'user-1', sid: 's_1', kind, jti: sealed.jti, iat: begun, exp: expires, ...more })
    expect(protectedHeader).toEqual({ alg: 'dir', enc: 'A256CBC-HS512', cty: 'JWT' })
  })

  it('has an id of its own unless it is given one', async () => {
    const { seal } = setUp()
    const ids = [await seal('access', subject), await seal('access', subject), await seal('access', subject, 'mine')]
    expect(new Set(ids.map(({ jti }) => jti)).size).toBe(3)
    expect(ids[2]!.jti).toBe('mine')
  })

  it('is over five seconds after its end', async () => {
    const { advance, seal, read } = setUp()
    const { token, jti } = await seal('access', subject)
    advance(904_000)
    expect(await read('access', token)).toMatchObject({ jti })
    advance(1000)
    expect(await read('access', token)).toBe('expired')
  })

  it('is none of another kind, of another server, or changed', async () => {
    const { seal, read } = setUp()
    const { token } = await seal('access', subject)
    expect([await read('refresh', token), await setUp().read('access', token)]).toEqual([null, null])
    const [head, key, iv, text, tag] = token.split('.') as [string, string, string, string, string]
    const changed = text.startsWith('A') ? `B${text.slice(1)}` : `A${text.slice(1)}`
    for (const bad of ['', 'a.b.c.d', 'a.b.c.d.e', 'a.b.c.d.e.f', [head, key, iv, changed, tag].join('.')])
      expect(await read('access', bad)).toBeNull()
  })

  it.each([
    [{ id: 'u', sid: 's', kind: 'access' }, true],
    [{ id: 'u', sid: 's', kind: 'refresh' }, false],
    [{ id: 5, sid: 's', kind: 'access' }, false],
    [{ id: 'u', sid: 5, kind: 'access' }, false],
  ])('with the claims %j is valid: %s', async (claims, valid) => {
    const { vault, read } = setUp()
    const whole = (it: EncryptJWT) =>
      it.setProtectedHeader({ alg: 'dir', enc: 'A256CBC-HS512' }).encrypt(vault.derive('session-access', 64))
    const token = await whole(new EncryptJWT(claims).setJti('j').setExpirationTime(begun + 60))
    expect(await read('access', token)).toEqual(
      valid ? { userId: 'u', sessionId: 's', jti: 'j', expires: begun + 60 } : null,
    )
    expect(await read('access', await whole(new EncryptJWT(claims).setJti('j')))).toBeNull()
    expect(await read('access', await whole(new EncryptJWT(claims).setExpirationTime(begun + 60)))).toBeNull()
  })

  it('of more than 4096 characters is not even decrypted', async () => {
    const { vault, read } = setUp()
    const sized = async (length: number) => {
      const claims = { id: 'u', sid: 's', kind: 'access', jti: 'j', exp: begun + 60, more: 'x'.repeat(length) }
      return new CompactEncrypt(Buffer.from(JSON.stringify(claims)))
        .setProtectedHeader({ alg: 'dir', enc: 'A256CBC-HS512' })
        .encrypt(vault.derive('session-access', 64))
    }
    const [short, long] = [await sized(2860), await sized(2940)]
    expect([short.length <= 4096, long.length > 4096]).toEqual([true, true])
    expect([await read('access', short), await read('access', long)]).toEqual([
      { userId: 'u', sessionId: 's', jti: 'j', expires: begun + 60 },
      null,
    ])
  })

  it('of another algorithm is invalid', async () => {
    const { read } = setUp()
    const other = await new EncryptJWT({ id: 'u', sid: 's', kind: 'access' })
      .setProtectedHeader({ alg: 'dir', enc: 'A256GCM' })
      .setJti('j')
      .setExpirationTime(begun + 60)
      .encrypt(randomBytes(32))
    expect(await read('access', other)).toBeNull()
  })

  it('needs the server’s encryption key', async () => {
    const { seal } = createSeals(null, () => 0)
    await expect(seal('access', subject)).rejects.toMatchObject({ code: 'encryption_unavailable' })
  })
})
