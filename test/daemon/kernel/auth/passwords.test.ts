import { describe, expect, it } from 'vitest'
import { createPasswords } from '#kernel/auth/passwords'

const passwords = () => createPasswords(4)

describe('hash', () => {
  it('makes what verify knows', async () => {
    const { hash, verify } = passwords()
    const stored = await hash('correct horse')
    expect([
      await verify('correct horse', stored),
      await verify('correct hors', stored),
      await verify('correct horse', 'nonsense'),
    ]).toEqual([true, false, false])
  })

  it('takes the same characters in another form for the same password', async () => {
    const { hash, verify } = passwords()
    expect(await verify('cafe\u0301', await hash('café'))).toBe(true)
  })

  it('reads to the end, also past a zero', async () => {
    const { hash, verify } = passwords()
    expect(await verify('abc\u0000xyz', await hash('abc\u0000def'))).toBe(false)
    expect(await verify(`${'x'.repeat(71)}z`, await hash('x'.repeat(72)))).toBe(false)
  })

  it('takes 72 bytes, and knows no longer password, not even by its first 72', async () => {
    const { hash, verify } = passwords()
    const stored = await hash('x'.repeat(72))
    expect([await verify('x'.repeat(72), stored), await verify('x'.repeat(73), stored)]).toEqual([true, false])
  })

  it.each(['x'.repeat(73), 'é'.repeat(37), '😀'.repeat(19)])('refuses more than 72 bytes', async (password) =>
    expect(passwords().hash(password)).rejects.toMatchObject({ code: 'invalid_field', field: 'password' }),
  )

  it('costs 12 unless told otherwise', async () => expect(await createPasswords().hash('x')).toMatch(/^\$2b\$12\$/))
})

describe('the queue', () => {
  it('lets sixty-six in and asks the others to come again, then is empty', async () => {
    const { hash } = passwords()
    const crowd = async () => {
      const results = await Promise.allSettled(Array.from({ length: 69 }, (_, index) => hash(`password ${index}`)))
      return results.map((result) => (result.status === 'fulfilled' ? 'done' : result.reason.code))
    }
    const expected = [...Array<string>(66).fill('done'), ...Array<string>(3).fill('rate_limited')]
    expect(await crowd()).toEqual(expected)
    expect(await crowd()).toEqual(expected)
    const [first] = (await Promise.allSettled(Array.from({ length: 67 }, () => hash('x')))).slice(-1)
    expect(first).toMatchObject({ reason: { headers: { 'retry-after': '2' } } })
  })

  it('goes on after a failure', async () => {
    const { hash, verify } = passwords()
    const bad = Array.from({ length: 5 }, () => verify(null as unknown as string, 'x').catch(() => 'failed'))
    expect(await Promise.all(bad)).toEqual(Array(5).fill('failed'))
    await expect(hash('still works')).resolves.toContain('$2b$')
  })
})
