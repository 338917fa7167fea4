import { describe, expect, it } from 'vitest'
import {
  type CredentialMembers,
  cleanValue,
  memberNames,
  merge,
  statusOf,
} from '../../../../daemon/features/credentials/rules.ts'

type Body = Parameters<typeof merge>[0]

const secret: CredentialMembers = {
  name: 'deploy',
  type: 'SECRET',
  provider: 'NONE',
  description: 'old',
  scope: 'CREW',
  crew_ids: ['crew-a'],
  tags: ['one'],
  security_level: 2,
  account_label: 'ops',
  account_email: 'ops@example.com',
  token_expires_at: '2027-01-01T00:00:00Z',
}
const merged = (body: object, before?: CredentialMembers) => merge(body as Body, before)

/** The member that is refused, and why. */
function refusal(act: () => unknown): unknown {
  try {
    return { accepted: act() }
  } catch (error) {
    const { code, field, message } = error as { code: string; field: string; message: string }
    return [code, field, message]
  }
}

describe('merge', () => {
  it('begins with what asks for nothing', () => {
    expect(merged({})).toEqual({
      name: '',
      type: 'SECRET',
      provider: 'NONE',
      description: null,
      scope: 'WORKSPACE',
      crew_ids: [],
      tags: [],
      security_level: 1,
      account_label: null,
      account_email: null,
      token_expires_at: null,
    })
  })

  it('leaves what a change does not name, and does not touch what was before', () => {
    const before = structuredClone(secret)
    expect(merged({}, before)).toEqual(secret)
    expect(merged({ name: 'other', type: 'CLI_TOKEN', provider: 'GITHUB' }, before)).toEqual({
      ...secret,
      name: 'other',
      type: 'CLI_TOKEN',
      provider: 'GITHUB',
    })
    expect(before).toEqual(secret)
  })

  it.each(['description', 'account_label', 'account_email'] as const)('sets %s, and clears it with blanks', (name) => {
    expect(merged({ [name]: 'new' }, secret)).toEqual({ ...secret, [name]: 'new' })
    for (const blank of ['', '  ', null]) expect(merged({ [name]: blank }, secret)).toEqual({ ...secret, [name]: null })
  })

  it('keeps each tag once, trimmed and in one form', () => {
    expect(merged({ tags: [' a ', 'a', '', '  ', 'Cafe\u0301', 'Caf\u00e9'] }).tags).toEqual(['a', 'Caf\u00e9'])
    expect(merged({ tags: [] }, secret).tags).toEqual([])
  })

  it('takes names of 1 to 255 characters', () => {
    expect([merged({ name: ' x ' }).name, merged({ name: 'x'.repeat(255) }).name]).toEqual(['x', 'x'.repeat(255)])
    for (const name of ['', ' ', 'x'.repeat(256)])
      expect(refusal(() => merged({ name }))).toEqual(['invalid_field', 'name', 'name must have 1 to 255 characters'])
  })

  it('refuses types that are not delivered', () => {
    expect(refusal(() => merged({ type: 'USERPASS' }))).toEqual([
      'invalid_field',
      'type',
      'type USERPASS is not supported by this version yet; it takes ' +
        'API_KEY, AI_CLI_TOKEN, SECRET, GENERIC_SECRET, CLI_TOKEN, OAUTH2',
    ])
  })

  it.each<[body: object, field: string, says: string]>([
    [
      { type: 'API_KEY', provider: 'GITHUB' },
      'provider',
      'API_KEY reaches the models of ANTHROPIC, OPENAI, GOOGLE; store a key for GITHUB as SECRET, ' +
        'which agents get as a file',
    ],
    [
      { type: 'API_KEY' },
      'type',
      'API_KEY reaches the models of ANTHROPIC, OPENAI, GOOGLE; store a key for anything else as SECRET, ' +
        'which agents get as a file',
    ],
    [
      { type: 'AI_CLI_TOKEN', provider: 'OPENAI' },
      'provider',
      'AI_CLI_TOKEN reaches the models of ANTHROPIC; store a key for OPENAI as SECRET, which agents get as a file',
    ],
  ])('names in %j the member that does not fit', (body, field, says) =>
    expect(refusal(() => merged(body))).toEqual(['invalid_field', field, says]),
  )

  it('blames the provider that changes below a type that stays', () => {
    const key: CredentialMembers = { ...secret, type: 'API_KEY', provider: 'OPENAI' }
    const says = (provider: string) =>
      `API_KEY reaches the models of ANTHROPIC, OPENAI, GOOGLE; store a key for ${provider} as SECRET, ` +
      'which agents get as a file'
    expect(refusal(() => merged({ provider: 'GITHUB' }, key))).toEqual(['invalid_field', 'provider', says('GITHUB')])
    const unfit: CredentialMembers = { ...key, provider: 'NONE' }
    expect(refusal(() => merged({}, unfit))).toEqual(['invalid_field', 'provider', says('anything else')])
    expect(merged({ provider: 'GOOGLE' }, key).provider).toBe('GOOGLE')
  })

  it('gives a credential of crews each crew once, and that of the workspace none', () => {
    const crews = { scope: 'CREW', crew_ids: ['b', 'a', 'b'] }
    expect(merged(crews)).toMatchObject({ scope: 'CREW', crew_ids: ['b', 'a'] })
    expect(merged({ crew_ids: ['c'] }, secret)).toMatchObject({ scope: 'CREW', crew_ids: ['c'] })
    expect(merged({ scope: 'WORKSPACE' }, secret)).toMatchObject({ scope: 'WORKSPACE', crew_ids: [] })
    expect(merged({ scope: 'WORKSPACE', crew_ids: [] }, secret)).toMatchObject({ scope: 'WORKSPACE', crew_ids: [] })
    expect(refusal(() => merged({ crew_ids: ['c'] }))).toEqual([
      'invalid_field',
      'crew_ids',
      'crew_ids belong to a credential of scope CREW',
    ])
    for (const [body, before] of [
      [{ scope: 'CREW' }, undefined],
      [{ crew_ids: [] }, secret],
    ] as const)
      expect(refusal(() => merged(body, before))).toEqual([
        'invalid_field',
        'crew_ids',
        'A credential of scope CREW needs at least one crew',
      ])
  })

  it.each([
    ['2027-01-01T01:00:00.5+01:00', '2027-01-01T00:00:00Z'],
    ['2027-01-01t00:00:59z', '2027-01-01T00:00:59Z'],
    ['1970-01-01T00:00:00Z', '1970-01-01T00:00:00Z'],
    ['9999-12-31T23:59:58Z', '9999-12-31T23:59:58Z'],
    ['', null],
    [null, null],
  ])('stores the end of a token, %j, as %j', (token_expires_at, stored) =>
    expect(merged({ token_expires_at }, secret).token_expires_at).toBe(stored),
  )

  it.each(['tomorrow', '2027-01-01', '2027-13-01T00:00:00Z', '1969-12-31T23:59:59Z', '9999-12-31T23:59:59Z'])(
    'takes %s for no time',
    (token_expires_at) =>
      expect(refusal(() => merged({ token_expires_at }))).toEqual([
        'invalid_field',
        'token_expires_at',
        'token_expires_at must be an RFC 3339 time such as 2030-01-31T12:00:00Z',
      ]),
  )
})

it('a change names a member or the value', () =>
  expect(memberNames).toEqual([
    'name',
    'type',
    'provider',
    'description',
    'scope',
    'crew_ids',
    'tags',
    'security_level',
    'account_label',
    'account_email',
    'token_expires_at',
    'value',
  ]))

describe('cleanValue', () => {
  it('trims keys of models and nothing else', () => {
    expect(cleanValue('API_KEY', ' sk-ant-x\r\n')).toBe('sk-ant-x')
    expect(cleanValue('AI_CLI_TOKEN', '!~\n')).toBe('!~')
    expect(cleanValue('SECRET', ' a\n\té ')).toBe(' a\n\té ')
  })

  it('takes 1 to 65536 bytes', () => {
    for (const value of ['x', 'x'.repeat(65_536), 'é'.repeat(32_768)]) expect(cleanValue('SECRET', value)).toBe(value)
    for (const [type, value] of [
      ['SECRET', ''],
      ['API_KEY', ' \n'],
      ['SECRET', 'x'.repeat(65_537)],
      ['SECRET', 'é'.repeat(32_769)],
    ] as const)
      expect(refusal(() => cleanValue(type, value))).toEqual([
        'invalid_field',
        'value',
        'value must have 1 to 65536 bytes',
      ])
  })

  it.each(['a b', 'a\r\nx: b', 'ѕk', 'a\u007f'])('takes %j for no key of a model', (value) =>
    expect(refusal(() => cleanValue('API_KEY', value))).toEqual([
      'invalid_field',
      'value',
      'value must be printable ASCII without spaces, as keys and tokens are',
    ]),
  )

  it.each(['a\u0000', 'a\ud800'])('refuses %j, which no file can keep', (value) =>
    expect(refusal(() => cleanValue('SECRET', value))).toEqual([
      'invalid_field',
      'value',
      'value holds characters that no file can keep',
    ]),
  )
})

describe('statusOf', () => {
  const now = Date.parse('2026-01-01T00:00:00Z')
  it.each([
    ['ACTIVE', null, null, 'ACTIVE'],
    ['ACTIVE', '2026-01-01T00:00:01Z', null, 'ACTIVE'],
    ['ACTIVE', '2026-01-01T00:00:00Z', null, 'EXPIRED'],
    ['ACTIVE', null, '2026-01-01T00:00:01Z', 'RATE_LIMITED'],
    ['ACTIVE', null, '2026-01-01T00:00:00Z', 'ACTIVE'],
    ['ACTIVE', '2026-01-01T00:00:00Z', '2026-01-01T00:00:01Z', 'EXPIRED'],
    ['ERROR', '2026-01-01T00:00:00Z', '2026-01-01T00:00:01Z', 'ERROR'],
    ['PENDING_APPROVAL', '2026-01-01T00:00:00Z', null, 'PENDING_APPROVAL'],
  ] as const)('of a stored %s that ends at %s and rests until %s is %s', (status, token_expires_at, until, shown) =>
    expect(statusOf({ status, token_expires_at, cooldown_until: until }, now)).toBe(shown),
  )
})
