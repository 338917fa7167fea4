import { describe, expect, it } from 'vitest'
import { addPerson, daemon } from '#test'
import { type Browser, browser } from '../../support/browser.ts'
import { type Claims, client, identityProvider } from '../../support/identity-provider.ts'

type Daemon = Awaited<ReturnType<typeof daemon>>
const ann = { email: 'Ann@Example.com', email_verified: true, name: 'Ann Ångström' }

/** A daemon with members of its own that trusts a real provider, and a browser that is new to both. */
async function setUp({ config = {}, accounts = { ann }, ...options }: Parameters<typeof daemon>[0] & { accounts?: Record<string, Claims> } = {}) {
  const provider = await identityProvider()
  for (const [name, claims] of Object.entries(accounts)) provider.accounts.set(name, claims)
  const server = await daemon({
    ...options,
    config: { idpIssuer: provider.issuer, idpClientId: client.id, idpClientSecret: client.secret, allowSignup: true, ...config },
  })
  server.person('OWNER')
  return { provider, server, web: browser(server) }
}
type SetUp = Awaited<ReturnType<typeof setUp>>

const start = async (web: Browser, redirect = '/') =>
  String((await web.call('GET', `/auth/idp/redirect?redirect=${encodeURIComponent(redirect)}`)).headers['location'])
const back = (web: Browser, { pathname, search }: URL) => web.call('GET', pathname + search)

/** The whole way: to the provider, through it, and back. */
async function signIn({ provider, web }: Pick<SetUp, 'provider' | 'web'>, account: string | null = 'ann', redirect = '/') {
  return back(web, await provider.visit(await start(web, redirect), account))
}
const me = async (web: Browser) => (await web.call('GET', '/users/me')).body
const count = ({ app }: Daemon, table: string) => (app.db.prepare(`SELECT count(*) AS n FROM ${table}`).get() as { n: number }).n
const userOf = ({ app }: Daemon, email: string) => app.db.prepare('SELECT * FROM users WHERE email = ?').get(email) as Record<string, string | null> | undefined

describe('idp.callback', () => {
  it('signs in a new person, with a workspace of their own', async () => {
    const it = await setUp()
    const answer = await signIn(it, 'ann', '/crews?x=1#y')
    expect(answer).toMatchObject({ status: 307, headers: { location: '/crews?x=1#y', 'cache-control': 'no-store' } })
    expect(await me(it.web)).toMatchObject({ email: 'ann@example.com', full_name: 'Ann Ångström' })
    const { id, email_verified_at, password_hash } = userOf(it.server, 'ann@example.com')!
    expect({ email_verified_at, password_hash }).toEqual({ email_verified_at: it.server.app.now(), password_hash: null })
    const [own] = (await it.web.call('GET', '/workspaces')).body
    expect(own).toMatchObject({ name: "Ann Ångström's Workspace", currentUserRole: 'OWNER' })
    const told = it.server.entries(own.id).map(({ entry_type, payload }) => [entry_type, (payload as { entity_type: string }).entity_type])
    expect(told).toEqual(['user', 'workspace', 'linked_account', 'session'].map((what) => ['audit.entity_created', what]))
    expect((await it.web.call('GET', '/users/me/linked-accounts')).body).toMatchObject([
      { provider: it.provider.issuer, provider_account_id: 'ann', email: 'ann@example.com' },
    ])
    expect(it.server.app.db.prepare('SELECT id FROM user_sessions WHERE user_id = ?').all(id)).toHaveLength(1)
  })
})
void addPerson
