import { fakeServer, json, type Seen } from './fake-server.ts'
import { integrationScene } from './integrations.ts'

/** The provider calls itself so in names of members; Muster learns it from its accounts. */
const vendor = 'acme'

const account = (id: string, user_id: string, slug: string, more: object = {}) => ({
  id,
  user_id,
  status: 'ACTIVE',
  toolkit: { slug },
  auth_config: { id: `ac_${slug}`, auth_scheme: 'OAUTH2', [`is_${vendor}_managed`]: true, is_disabled: false },
  secret_token: 'never shown',
  ...more,
})

const tools: Record<string, string[]> = {
  mail: ['MAIL_FETCH_MESSAGES', 'MAIL_SEND_MESSAGE', 'MAIL_GET_AND_DELETE', 'MAIL_LIST_LABELS'],
  board: ['BOARD_CREATE_CARD'],
}

/** A provider of managed integrations that speaks its HTTP interface, with what a test changes of it. */
export async function managedProvider() {
  const state = {
    key: 'key-1',
    accounts: [account('ca_2', 'zoe', 'mail'), account('ca_1', 'ada', 'mail'), account('ca_3', 'ada', 'board')],
    servers: new Map<string, Record<string, unknown>>(),
    configs: ['mail', 'board'],
    /** Answers instead, for paths that begin so. */
    fault: null as null | { path: string; answer: (reply: import('node:http').ServerResponse, seen: Seen) => unknown },
  }
  const items = (list: unknown[]) => ({ items: list, total_items: list.length, next_cursor: null })
  const server = await fakeServer((seen, reply) => {
    const { pathname, searchParams } = new URL(seen.url, 'http://provider')
    if (state.fault && pathname.startsWith(state.fault.path)) return state.fault.answer(reply, seen)
    if (seen.headers['x-api-key'] !== state.key) return json(reply, { error: { message: 'bad key' } }, 401)
    const body = seen.body ? (JSON.parse(seen.body) as Record<string, unknown>) : {}
    const at = `${seen.method} ${pathname}`
    if (at === 'GET /api/v3/auth_configs')
      return json(
        reply,
        items(
          state.configs.map((slug) => ({
            id: `ac_${slug}`,
            name: `${slug}\u001b[2J`,
            status: 'ENABLED',
            toolkit: { slug, logo: `https://logo.example/${slug}` },
          })),
        ),
      )
    if (at === 'GET /api/v3/connected_accounts') {
      // Two pages, as of a large provider.
      const rest = searchParams.get('cursor') === 'more'
      const list = rest ? state.accounts.slice(1) : state.accounts.slice(0, 1)
      const next_cursor = rest || state.accounts.length < 2 ? null : 'more'
      return json(reply, { items: list, total_items: state.accounts.length, next_cursor })
    }
    if (at === 'GET /api/v3/toolkits')
      return json(reply, {
        items: [
          {
            slug: 'mail',
            name: 'Mail',
            no_auth: false,
            meta: { description: 'Letters', tools_count: 4, categories: [{ id: 'c', name: 'C' }] },
          },
          { slug: 'bare' },
        ],
        total_items: 812,
      })
    if (at === 'GET /api/v3.1/tools') {
      const slug = searchParams.get('toolkit_slug')!
      return json(
        reply,
        items((tools[slug] ?? []).map((one) => ({ slug: one, name: one, description: 'x', toolkit: { slug } }))),
      )
    }
    if (at === 'GET /api/v3.1/triggers_types')
      return json(
        reply,
        items([{ slug: 'MAIL_NEW', name: 'New', description: 'x', type: 'poll', toolkit: { slug: 'mail' } }]),
      )
    if (at === 'GET /api/v3.1/trigger_instances/active')
      return json(
        reply,
        items([
          {
            id: 'ti_1',
            trigger_name: 'MAIL_NEW',
            user_id: 'ada',
            connected_account_id: 'ca_1',
            trigger_config: { a: 1 },
            disabled_at: null,
          },
        ]),
      )
    if (at === 'POST /api/v3.1/trigger_instances/MAIL_NEW/upsert') return json(reply, { trigger_id: 'ti_2' })
    if (at === 'POST /api/v3.1/auth_configs') {
      const { slug } = body['toolkit'] as { slug: string }
      const { type } = body['auth_config'] as { type: string }
      if (type !== `use_${vendor}_managed_auth`) return json(reply, { message: 'wrong type' }, 400)
      state.configs.push(slug)
      return json(reply, { auth_config: { id: `ac_${slug}` } }, 201)
    }
    if (at === 'POST /api/v3.1/connected_accounts/link')
      return json(
        reply,
        {
          link_token: 't',
          redirect_url: `https://provider.example/link/${body['auth_config_id']}`,
          connected_account_id: 'ca_9',
        },
        201,
      )
    if (/^POST \/api\/v3\.1\/connected_accounts\/ca_\d\/(revoke|refresh)$/.test(at)) return json(reply, {})
    if (/^DELETE \/api\/v3\.1\/connected_accounts\/ca_\d$/.test(at)) return json(reply, {})
    if (at === 'GET /api/v3.1/mcp/servers')
      return json(reply, items([...state.servers.values()].filter(({ name }) => name === searchParams.get('name'))))
    if (at === 'POST /api/v3.1/mcp/servers') {
      if (body[`managed_auth_via_${vendor}`] !== true) return json(reply, { message: 'no flag' }, 400)
      const id = `srv_${state.servers.size + 1}`
      state.servers.set(id, { ...body, id })
      return json(reply, { id, mcp_url: 'https://elsewhere.example/mcp' }, 201)
    }
    if (/^PATCH \/api\/v3\.1\/mcp\/servers\/srv_\d+$/.test(at)) return json(reply, {})
    return json(reply, { message: 'not found' }, 404)
  })
  return { url: server.url, host: new URL(server.url).host, seen: server.seen, state }
}

/** A daemon with a crew, and a provider whose key is the server's unless another is said. */
export async function managedScene(config: object = {}) {
  const provider = await managedProvider()
  const scene = await integrationScene({
    config: {
      managedBaseUrl: provider.url,
      managedApiKey: 'key-1',
      integrationHosts: [provider.host],
      ...config,
    },
  })
  const managed = (who: 'VIEWER' | 'MANAGER' | 'ADMIN' | 'OWNER', method: string, path: string, body?: unknown) =>
    scene.it.call(who, method, `/integrations/managed${path}`, body)
  return { ...scene, provider, managed }
}
