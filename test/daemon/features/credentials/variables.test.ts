import { describe, expect, it } from 'vitest'
import { variableName, variableOfName } from '../../../../daemon/features/credentials/assignments/rules.ts'

describe('names of variables', () => {
  it.each([
    ['gh_token', 'GH_TOKEN'],
    ['gh-token-2', 'GH_TOKEN_2'],
    ['_x', '_X'],
  ])('%s becomes %s', (given, wanted) => expect(variableName(given)).toBe(wanted))

  it.each([
    '',
    '2FA',
    '-',
    'A B',
    'A=B',
    'A\n',
    'PÄSS',
    'ſecret',
    '\u212Aey',
    'ＡＢ',
    '../x',
    'svc_agent_id',
    'SVC-X',
    'x'.repeat(129),
  ])('%j is refused', (given) => {
    if (given === '-') return expect(variableName(given)).toBe('_')
    expect(() => variableName(given)).toThrow(expect.objectContaining({ code: 'invalid_field', field: 'env_var_name' }))
  })

  it.each([
    ['GitHub token', 'GITHUB_TOKEN'],
    ['Café – dev', 'CAFE_DEV'],
    ['2fa', '_2FA'],
    ['svc key', '_SVC_KEY'],
    ['日本', '__'],
    ['x'.repeat(129), 'X'.repeat(128)],
    ['2'.repeat(128), `_${'2'.repeat(127)}`],
  ])('of a crew’s credential %s is %s', (name, wanted) => expect(variableOfName(name)).toBe(wanted))
})
