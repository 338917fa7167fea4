import type { App } from '#kernel/app'
import { membersOf } from '#kernel/http/json-bounds'
import { managedAddress } from '../../providers/managed.ts'
import { ask, askAll } from './asking.ts'
import { type Account, account, line, vendorIn } from './reading.ts'

/** The connected accounts of all users. */
export const accountsOf = async (app: App, key: string): Promise<Account[]> =>
  (await askAll(app, key, { path: '/api/v3/connected_accounts' })).map(account)

/** What the provider calls itself: as its accounts say, or before there are any as its usual address does. */
const vendorOf = (accounts: readonly Account[]): string =>
  vendorIn(accounts) ?? new URL(managedAddress).hostname.split('.').at(-2)!

/** Members that the provider names after itself. */
export const named = (accounts: readonly Account[]) => ({
  scheme: `use_${vendorOf(accounts)}_managed_auth`,
  flag: `managed_auth_via_${vendorOf(accounts)}`,
})

/** How accounts of a toolkit are authorized: as it is set up already, or set up now. */
export async function authConfigFor(app: App, key: string, toolkit: string): Promise<string> {
  const known = await askAll(app, key, { path: '/api/v3/auth_configs' })
  const found = known.find(
    ({ toolkit: of, status }) => membersOf(of)['slug'] === toolkit && String(status).toUpperCase() !== 'DISABLED',
  )
  if (found) return line(found['id'])
  const { scheme } = named(await accountsOf(app, key))
  const made = await ask(app, key, {
    method: 'POST',
    path: '/api/v3.1/auth_configs',
    body: { toolkit: { slug: toolkit }, auth_config: { type: scheme, name: `Muster ${toolkit}` } },
  })
  return line(membersOf(made['auth_config'])['id'])
}
