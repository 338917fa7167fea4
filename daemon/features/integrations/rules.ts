import type { Static } from 'typebox'
import type { IntegrationPatch, McpTransport } from '#contract/integrations'
import { blankToNull } from '#kernel/http/fields'
import { canonicalAddress, classify, isThisMachine } from '#kernel/outbound/addresses'
import { permitsAddress } from '#kernel/outbound/operator-hosts'
import { problem } from '#kernel/problem'
import { parseText } from './json-text.ts'
import { readConfig } from './server-config.ts'

type Given = Static<typeof IntegrationPatch>

/** What people decide of a server, but for its variables. */
export interface Members {
  display_name: string
  transport: McpTransport
  endpoint: string | null
  command: string | null
  args_json: string | null
  config_json: string | null
  icon: string | null
  enabled: number
}

const refuse = (field: string, detail: string) => problem('invalid_field', { field, detail })

/** The members that a body leaves or makes of those that were there. `privateHosts` are the operator's exceptions. */
export function merge(given: Given, before: Members, privateHosts: readonly string[]): Members {
  const members: Members = {
    display_name: blankToNull(given.display_name)?.trim() ?? before.display_name,
    transport: given.transport ?? before.transport,
    endpoint: given.endpoint === undefined ? before.endpoint : (blankToNull(given.endpoint)?.trim() ?? null),
    command: given.command === undefined ? before.command : (blankToNull(given.command)?.trim() ?? null),
    args_json: given.args_json === undefined ? before.args_json : blankToNull(given.args_json),
    config_json: given.config_json === undefined ? before.config_json : blankToNull(given.config_json),
    icon: given.icon === undefined ? before.icon : blankToNull(given.icon),
    enabled: given.enabled === undefined || given.enabled === null ? before.enabled : Number(given.enabled),
  }
  const needed = members.transport === 'stdio' ? 'command' : 'endpoint'
  if (members[needed] === null)
    throw problem('missing_field', { field: needed, detail: `A server over ${members.transport} needs ${needed}` })
  if (members.endpoint !== null) checkEndpoint(members.endpoint, privateHosts)
  if (members.command !== null) checkCommand(members.command)
  if (members.args_json !== null) readArgs(members.args_json)
  if (members.config_json !== null) readConfig('config_json', members.config_json)
  return members
}

/** Refuses what could never be reached; where a name leads is judged whenever it is called. */
function checkEndpoint(endpoint: string, privateHosts: readonly string[]): void {
  if (!URL.canParse(endpoint)) throw refuse('endpoint', 'endpoint must be a URL such as https://example.com/mcp')
  const url = new URL(endpoint)
  if (url.username || url.password) throw refuse('endpoint', 'endpoint must not carry a user name or password')
  if (url.hash) throw refuse('endpoint', 'endpoint must not have a fragment')
  if (permitsAddress(privateHosts, url)) return
  const allowing = 'who operates this server can name the host in SVC_INTEGRATION_PRIVATE_HOSTS'
  if (url.protocol !== 'https:') throw refuse('endpoint', `endpoint must be an https address; ${allowing}`)
  if (isThisMachine(url.hostname) || isPrivate(url.hostname))
    throw refuse('endpoint', `This server keeps away from private addresses; ${allowing}`)
}

function isPrivate(hostname: string): boolean {
  const bare = hostname.replace(/^\[|\]$/g, '')
  return canonicalAddress(bare) !== null && classify(bare) !== 'public'
}

function checkCommand(command: string): void {
  if (!/^[A-Za-z0-9][A-Za-z0-9._+-]*$/.test(command))
    throw refuse('command', 'command must be the name of a program, without a path or arguments')
}

const mostArgs = 50

/** The arguments of a stdio server. */
export function readArgs(json: string): string[] {
  const args = parseText('args_json', json)
  const wrong = () => refuse('args_json', `args_json must be a JSON array of at most ${mostArgs} texts`)
  if (!Array.isArray(args) || args.length > mostArgs) throw wrong()
  if (!args.every((it) => typeof it === 'string' && it.length <= 4096 && !it.includes('\0'))) throw wrong()
  return args as string[]
}
