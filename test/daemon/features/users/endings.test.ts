import { hash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { addPerson, daemon } from '#test'
import { invalidate, resetPassword } from '../../../../daemon/admin/accounts.ts'
import { browser, knownPassword, quickHash } from '../../../support/browser.ts'

const mailed = 'a'.repeat(64)
const fresh = 'heron orchard 7'

/** An account that is open in every way: a session that asked for a pairing code, a token, a mailed link. */
async function openAccount({ member }: { member: boolean }) {
  const it = await daemon({ quiet: true })
  it.person('OWNER')
  const { app } = it
  const ada = app.writeNow(() => addPerson(app, 'MEMBER', it.workspace))
  if (!member) app.db.prepare('DELETE FROM workspace_members WHERE user_id = ?').run(ada.userId)
  app.db.prepare('UPDATE users SET password_hash = ? WHERE id = ?').run(quickHash, ada.userId)
  app.db
    .prepare("INSERT INTO verification_tokens VALUES ('t', ?, ?, 'password_reset', ?, '2027-01-01T00:00:00Z', NULL)")
    .run(ada.userId, hash('sha256', mailed, 'hex'), app.now())
  const web = browser(it)
  await web.signIn(ada.email, knownPassword)
  await web.call('POST', '/auth/pair/start')
  const left = () =>
    app.db
      .prepare(
        `SELECT (SELECT count(*) FROM user_sessions WHERE user_id = @id AND revoked_at IS NULL) AS sessions,
           (SELECT count(*) FROM cli_tokens WHERE user_id = @id AND revoked_at IS NULL) AS tokens,
           (SELECT count(*) FROM cli_pairings WHERE user_id = @id) AS codes,
           (SELECT count(*) FROM verification_tokens WHERE user_id = @id) AS links,
           (SELECT password_hash FROM users WHERE id = @id) = @old AS password_kept`,
      )
      .get({ id: ada.userId, old: quickHash })
  const subject = { id: ada.userId, email: ada.email, locked_until: null, two_factor_at: null }
  return { it, app, ada, web, subject, left }
}
type Open = Awaited<ReturnType<typeof openAccount>>

const whole = { sessions: 1, tokens: 1, codes: 1, links: 1, password_kept: 1 }
const change = ({ it, ada }: Open) =>
  it.call(ada, 'POST', '/users/me/password', { current_password: knownPassword, new_password: fresh })
const reset = ({ it }: Open) => it.call(null, 'POST', '/auth/reset', { token: mailed, new_password: fresh })
const resetOnHost = ({ app, subject }: Open) => resetPassword(app, subject, { email: subject.email, password: fresh })
const signOutOnHost = async ({ app, subject }: Open) => invalidate(app, [subject], false)
const endAllOnHost = async ({ app, subject }: Open) => invalidate(app, [subject], true)

describe('an account with a workspace and one without', () => {
  const endings: [string, (open: Open) => Promise<unknown>, object][] = [
    ['its password is changed', change, { sessions: 0, codes: 0, links: 0, password_kept: 0 }],
    ['its password is reset by a mailed link', reset, { sessions: 0, codes: 0, links: 0, password_kept: 0 }],
    ['its password is reset on the host', resetOnHost, { sessions: 0, codes: 0, links: 0, password_kept: 0 }],
    ['it is signed out on the host', signOutOnHost, { sessions: 0, codes: 0 }],
    ['it is signed out on the host, tokens too', endAllOnHost, { sessions: 0, tokens: 0, codes: 0 }],
    [
      'its session is revoked',
      async ({ web }) => {
        const [{ id }] = (await web.call('GET', '/auth/sessions')).body
        return web.call('POST', `/auth/sessions/${id}/revoke`)
      },
      { sessions: 0, codes: 0 },
    ],
    [
      'its refresh token is used twice',
      async ({ it, web }) => {
        const thief = web.copy()
        await web.call('POST', '/api/auth/token/refresh')
        it.clock.advance(11_000)
        return thief.call('POST', '/api/auth/token/refresh')
      },
      { sessions: 0, codes: 0 },
    ],
    ['its browser signs out', ({ web }) => web.call('POST', '/api/auth/signout'), { sessions: 0 }],
  ]

  it.each(endings.flatMap(([name, act, after]) => [true, false].map((member) => ({ name, act, after, member }))))(
    'closes what is open when $name (member: $member)',
    async ({ act, after, member }) => {
      const open = await openAccount({ member })
      expect(open.left()).toEqual(whole)
      await act(open)
      expect(open.left()).toEqual({ ...whole, ...after })
    },
  )

  it('ends codes on the host whose session had ended, and tells no journal of it', async () => {
    const { it, app, web, subject, left } = await openAccount({ member: true })
    await web.call('POST', '/api/auth/signout')
    expect(left()).toEqual({ ...whole, sessions: 0 })
    const head = app.index.head()
    expect(invalidate(app, [subject], false)).toEqual({ users: 0, sessions: 0, tokens: 0 })
    expect(left()).toEqual({ ...whole, sessions: 0, codes: 0 })
    expect(app.index.head()).toBe(head)
    expect(it.entries().at(-1)!.summary).toBe(`${subject.email} signed out`)
  })

  it('ends codes when a session is revoked that had ended, and tells no journal of it', async () => {
    const { it, app, ada, web, left } = await openAccount({ member: true })
    const [{ id }] = (await web.call('GET', '/auth/sessions')).body
    await web.call('POST', '/api/auth/signout')
    const head = app.index.head()
    expect((await it.call(ada, 'POST', `/auth/sessions/${id}/revoke`)).status).toBe(200)
    expect(left()).toEqual({ ...whole, sessions: 0, codes: 0 })
    expect(app.index.head()).toBe(head)
  })
})

describe('all that ends with an account, or nothing', () => {
  const outcome = (act: Promise<unknown>) =>
    act.then(
      (answer) => (answer as { status: number }).status,
      (error: Error) => error.message,
    )

  it.each([
    ['a password change', change, 'DELETE ON cli_pairings', 500],
    ['a password change', change, 'DELETE ON verification_tokens', 500],
    ['a password reset', reset, 'DELETE ON cli_pairings', 500],
    ['a password reset', reset, 'UPDATE OF revoked_at ON user_sessions', 500],
    ['a password reset on the host', resetOnHost, 'UPDATE OF revoked_at ON user_sessions', 'disk'],
    ['a sign-out on the host', endAllOnHost, 'UPDATE OF revoked_at ON cli_tokens', 'disk'],
    ['a sign-out on the host', endAllOnHost, 'DELETE ON cli_pairings', 'disk'],
  ])('%s does not happen when one consequence is refused: %s, %s', async (_, act, what, refusal) => {
    const open = await openAccount({ member: true })
    const head = open.app.index.head()
    open.app.db.exec(`CREATE TRIGGER full BEFORE ${what} BEGIN SELECT RAISE(ABORT, 'disk'); END`)
    expect(await outcome(act(open))).toBe(refusal)
    expect(open.left()).toEqual(whole)
    expect(open.app.index.head()).toBe(head)
    open.app.db.exec('DROP TRIGGER full')
    await act(open)
    expect(open.left()).not.toEqual(whole)
  })
})
