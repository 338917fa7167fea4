import { describe, expect, it } from 'vitest'
import { judgeRefresh, messageOf, safePath } from '../../../../daemon/features/sessions/rules.ts'

const now = Date.parse('2026-01-10T00:00:00Z')
const row: NonNullable<Parameters<typeof judgeRefresh>[0]> = {
  id: 's_1',
  user_id: 'u',
  created_at: '2026-01-01T00:00:00Z',
  last_used_at: '2026-01-09T00:00:00Z',
  expires_at: '2026-01-31T00:00:00Z',
  revoked_at: null,
  user_agent: null,
  ip: null,
  current_refresh_jti: 'current',
  previous_refresh_jti: 'previous',
  rotated_at: '2026-01-09T23:59:55.000Z',
}

describe('a refresh', () => {
  it.each([
    ['the current identifier', 'current', {}, 'current'],
    ['the previous one, seconds after', 'previous', {}, 'grace'],
    ['the previous one, ten seconds after', 'previous', { rotated_at: '2026-01-09T23:59:50.000Z' }, 'grace'],
    ['the previous one, later', 'previous', { rotated_at: '2026-01-09T23:59:49.999Z' }, 'replay'],
    [
      'the previous one, the clock being set back by seconds',
      'previous',
      { rotated_at: '2026-01-10T00:00:10Z' },
      'grace',
    ],
    [
      'the previous one, the clock being set back by more',
      'previous',
      { rotated_at: '2026-01-10T00:00:10.001Z' },
      'replay',
    ],
    ['an older one, seconds after', 'older', {}, 'replay'],
    ['another one, before any rotation', 'other', { previous_refresh_jti: null, rotated_at: null }, 'replay'],
    ['any, of a session that was ended', 'current', { revoked_at: '2026-01-09T00:00:00Z' }, 'gone'],
    ['any, at the end of the session', 'current', { expires_at: '2026-01-10T00:00:00Z' }, 'expired'],
    ['the current one, a second before the end', 'current', { expires_at: '2026-01-10T00:00:01Z' }, 'current'],
  ])('with %s', (_, jti, changed, verdict) => expect(judgeRefresh({ ...row, ...changed }, jti, now)).toBe(verdict))

  it('of no session is of none', () => expect(judgeRefresh(undefined, 'current', now)).toBe('gone'))
})

describe('the way on after a sign-in', () => {
  it.each([
    ['/', '/'],
    ['/crews?x=1#top', '/crews?x=1#top'],
    ['/now!', '/now!'],
    ['/caf\u00e9', '/caf%C3%A9'],
    ['/\ud800', '/%EF%BF%BD'],
    [`/${'x'.repeat(1999)}`, `/${'x'.repeat(1999)}`],
  ])('is %j', (given, path) => expect(safePath(given)).toBe(path))

  it.each([
    undefined,
    '',
    'crews',
    '//evil.example',
    '/\\evil.example',
    '/a\\b',
    '/\t/evil.example',
    '/a b',
    '/a\u007f',
    '/.//evil.example',
    '/a/..//evil.example',
    'https://evil.example/',
    'javascript:alert(1)',
    `/${'x'.repeat(2000)}`,
  ])('is the start for %j', (given) => expect(safePath(given)).toBe('/'))
})

describe('the message of an error', () => {
  it.each([
    ['CredentialsSignin', 'The email address or the password is wrong'],
    ['SecondFactorRequired', 'Enter the code of your second factor'],
    ['AccessDenied', 'The identity provider denied access'],
    ['anything else', 'Signing in failed; try again'],
    ['toString', 'Signing in failed; try again'],
  ])('%s', (error, message) => expect(messageOf(error)).toBe(message))
})
