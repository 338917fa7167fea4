import { describe, expect, it } from 'vitest'
import { checkPassword } from '#kernel/auth/common-passwords'

const refusal = (password: string) => {
  try {
    checkPassword('new_password', password)
    return null
  } catch (error) {
    const { code, field } = error as { code: string; field: string }
    return { code, field }
  }
}

describe('checkPassword', () => {
  it.each(['password', '12345678', 'PassWord123', 'qwertyuiop', 'trustno1', 'sunshine', 'ｐａｓｓｗｏｒｄ'])(
    'knows %s as common',
    (password) => expect(refusal(password)).toEqual({ code: 'common_password', field: 'new_password' }),
  )

  it.each(['1234567', '', 'ééééééé', '😀😀😀😀😀😀😀'])('refuses %s as too short', (password) =>
    expect(refusal(password)).toEqual({ code: 'invalid_field', field: 'new_password' }),
  )

  it('counts the characters that are hashed: a letter with its mark is one', () => {
    expect(refusal('e\u0301'.repeat(7))).toEqual({ code: 'invalid_field', field: 'new_password' })
    expect(refusal('e\u0301'.repeat(8))).toBeNull()
  })

  it.each(['x'.repeat(73), 'é'.repeat(37), 'ﷺ'.repeat(5)])('refuses %s as more than bcrypt reads', (password) =>
    expect(refusal(password)).toEqual({ code: 'invalid_field', field: 'new_password' }),
  )

  it.each(['correct horse', 'correct horse battery', 'long enough', '😀'.repeat(8), 'x'.repeat(72)])(
    'takes %s',
    (password) => expect(refusal(password)).toBeNull(),
  )
})
