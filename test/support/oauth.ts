import { daemon } from './index.ts'
import { type OauthServers, oauthServers } from './oauth-server.ts'

interface Options {
  servers?: Parameters<typeof oauthServers>[0]
  daemon?: Parameters<typeof daemon>[0]
}

/** A daemon, and servers that it may reach. */
export async function oauthScene({ servers: more, daemon: options = {} }: Options = {}) {
  const servers = await oauthServers(more)
  const it = await daemon({ ...options, config: { integrationHosts: servers.hosts, ...options.config } })
  return { it, servers, ...actsOf(it, servers) }
}

export function actsOf(it: Awaited<ReturnType<typeof daemon>>, servers: OauthServers) {
  const back = ({ pathname, search }: URL, headers: Record<string, string> = {}) =>
    it.call(null, 'GET', pathname + search, undefined, headers)
  const connect = (more: object = {}) =>
    it.call('OWNER', 'POST', '/oauth/auto-connect', { mcp_url: servers.resource, server_name: 'Notes', ...more })
  return {
    connect,
    /** A browser that comes back to the daemon. */
    back,
    /** The whole way; answers the id of the credential. */
    async signIn(): Promise<string> {
      const { auth_url, credential_id } = (await connect()).body
      const answer = await back(await servers.visit(auth_url))
      if (answer.status !== 200) throw new Error(`The sign-in ended with ${answer.status}: ${answer.text}`)
      return credential_id
    },
    show: async (id: string) => (await it.call('OWNER', 'GET', `/credentials/${id}`)).body,
    expired: () => it.entries().filter((one) => one.entry_type === 'credential.expired'),
  }
}
