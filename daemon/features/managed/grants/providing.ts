import { hash } from 'node:crypto'
import type { App } from '#kernel/app'
import { problem } from '#kernel/problem'
import { addressAt, ask, askAll, itemsOf, part } from '../asking.ts'
import { accountsOf, named } from '../inventory.ts'
import { type Account, line } from '../reading.ts'
import { toolsGiven, type Wanted } from './rules.ts'

/** A toolkit that the provider stands ready to serve. */
export type Ready = Wanted & { given: string[] | null; endpoint: string }

const isActive = ({ status, auth_config }: Account) => status.toUpperCase() === 'ACTIVE' && !auth_config.is_disabled

/** What stands ready of a user: what is wanted, or with null all that is connected. Changes nothing that is in use. */
export async function provide(app: App, key: string, user: string, wanted: Wanted[] | null): Promise<Ready[]> {
  if (wanted?.length === 0) return []
  const accounts = await accountsOf(app, key)
  const own = accounts.filter((it) => it.user_id === user && isActive(it) && it.toolkit.slug)
  if (!own.length)
    throw problem('not_found', { field: 'user_id', detail: 'The provider knows no such user with a connected account' })
  const all = [...new Set(own.map(({ toolkit }) => toolkit.slug.toLowerCase()))].sort()
  const apps = wanted ?? all.map((toolkit): Wanted => ({ toolkit, mode: 'full', tools: [], field: 'user_id' }))
  const ready: Ready[] = []
  for (const app_ of apps) {
    const configs = configsOf(own.filter(({ toolkit }) => toolkit.slug.toLowerCase() === app_.toolkit))
    if (!configs.length)
      throw problem('invalid_field', {
        field: app_.field,
        detail: `The user has connected no account of ${app_.toolkit}`,
      })
    const given = app_.mode === 'full' ? null : toolsGiven(app_, await slugsOf(app, key, app_.toolkit))
    const endpoint = await endpointFor(app, key, { user, configs, given, flag: named(accounts).flag })
    ready.push({ ...app_, given, endpoint })
  }
  return ready
}

/** What stands ready for the default connector: all that a user has connected, behind one address. */
export async function provideDefault(app: App, key: string, wanted: string | null) {
  const accounts = await accountsOf(app, key)
  const active = accounts.filter((it) => isActive(it) && it.user_id)
  const users = [...new Set(active.map(({ user_id }) => user_id))]
  const user = wanted ?? (users.length === 1 ? users[0]! : null)
  if (user === null)
    throw problem('invalid_field', {
      field: 'user_id',
      detail: users.length ? 'Several users have connected accounts: name one' : 'No user has a connected account',
    })
  const configs = configsOf(active.filter(({ user_id }) => user_id === user))
  if (!configs.length) throw problem('invalid_field', { field: 'user_id', detail: 'The user has no connected account' })
  const endpoint = await endpointFor(app, key, { user, configs, given: null, flag: named(accounts).flag })
  return { user, endpoint, connected: users.length }
}

const configsOf = (accounts: readonly Account[]): string[] =>
  [...new Set(accounts.map(({ auth_config }) => auth_config.id).filter(Boolean))].sort()

const slugsOf = async (app: App, key: string, toolkit_slug: string): Promise<string[]> => [
  ...new Set(
    (await askAll(app, key, { path: '/api/v3.1/tools', query: { toolkit_slug } }))
      .map(({ slug }) => line(slug, 200))
      .filter(Boolean),
  ),
]

interface Served {
  user: string
  configs: string[]
  given: string[] | null
  flag: string
}

const servers = '/api/v3.1/mcp/servers'

/**
 * The address for one user of a server at the provider. Its name stands for what it serves, so that another grant has
 * another server, and what is in use stays as it is until the grant is stored.
 */
async function endpointFor(app: App, key: string, { user, configs, given, flag }: Served): Promise<string> {
  const name = `muster-${hash('sha256', JSON.stringify([configs, given]), 'hex').slice(0, 20)}`
  const body = { name, auth_config_ids: configs, ...(given && { allowed_tools: given }), [flag]: true }
  const found = itemsOf(await ask(app, key, { path: servers, query: { name } })).find((it) => it['name'] === name)
  const known = line(found?.['id'])
  const made = known
    ? await ask(app, key, { method: 'PATCH', path: `${servers}/${part(known)}`, body })
    : await ask(app, key, { method: 'POST', path: servers, body })
  const id = known || line(made['id'])
  if (!id) throw problem('managed_failed', { detail: 'The provider could not be used: it made a server without an id' })
  return addressAt(app, `/v3/mcp/${part(id)}/mcp`, { user_id: user })
}
