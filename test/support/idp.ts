import { type Browser, browser } from './browser.ts'
import { type Claims, client, identityProvider } from './identity-provider.ts'
import { daemon, type TestDaemon } from './index.ts'

export const ann = { email: 'Ann@Example.com', email_verified: true, name: 'Ann Ångström' }

interface Options extends NonNullable<Parameters<typeof daemon>[0]> {
  accounts?: Record<string, Claims>
  provider?: Parameters<typeof identityProvider>[0]
}

/** A daemon with an owner, open to all, that trusts a real provider; and a browser that is new to both. */
export async function setUp({ config = {}, accounts = { ann }, provider: more, ...options }: Options = {}) {
  const provider = await identityProvider(more)
  for (const [name, claims] of Object.entries(accounts)) provider.accounts.set(name, claims)
  const idp = { idpIssuer: provider.issuer, idpClientId: client.id, idpClientSecret: client.secret }
  const server = await daemon({ ...options, config: { ...idp, allowSignup: true, ...config } })
  if (!options.empty) server.person('OWNER')
  return { provider, server, web: browser(server) }
}
export type SetUp = Awaited<ReturnType<typeof setUp>>

/** Where the provider is to be asked, as the redirect says. */
export const start = async (web: Browser, redirect = '/'): Promise<string> =>
  String((await web.call('GET', `/auth/idp/redirect?redirect=${encodeURIComponent(redirect)}`)).headers['location'])

export const back = (web: Browser, { pathname, search }: URL) => web.call('GET', pathname + search)

/** The whole way: to the provider, through it as `account`, and back. */
export async function signIn(
  { provider, web }: Pick<SetUp, 'provider' | 'web'>,
  account: string | null = 'ann',
  redirect = '/',
) {
  return back(web, await provider.visit(await start(web, redirect), account))
}

export const me = async (web: Browser) => (await web.call('GET', '/users/me')).body
export const rows = ({ app }: TestDaemon, table: string) =>
  app.db.prepare(`SELECT * FROM ${table}`).all() as Record<string, string | null>[]
export const userOf = (server: TestDaemon, email: string) => rows(server, 'users').find((row) => row['email'] === email)
