import { type Turn, toolList, turnCap } from '../adapter.ts'
import { type Json, list, object, string } from '../json.ts'
import { toolSeconds } from '../mcp.ts'
import { providerOf } from './models.ts'

/** The agent of the client that works for Muster. */
export const agentName = 'muster'

/** The client's permission for each tool that agents are given. */
const permissions: Record<string, string> = {
  Read: 'read',
  Glob: 'glob',
  Grep: 'grep',
  Bash: 'bash',
  WebFetch: 'webfetch',
}

/**
 * What the client offers and runs; its last rule that fits decides. It has one permission for all that changes files,
 * which therefore needs both tools. The container keeps the agent within its folders, and Muster ends loops.
 */
export function permissionsOf(
  { toolProfile, cliTools, skills }: Turn,
  servers: readonly string[],
): Record<string, string> {
  const tools = toolList(toolProfile, cliTools)
  const granted = tools.map((name) => permissions[name]).filter((name) => name !== undefined)
  if (tools.includes('Write') && tools.includes('Edit')) granted.push('edit')
  if (skills?.length) granted.push('skill')
  const allowed = [...granted, 'external_directory', 'doom_loop', ...servers.map((name) => `${prefixOf(name)}*`)]
  return { '*': 'deny', ...Object.fromEntries(allowed.map((name) => [name, 'allow'])) }
}

/** What the names of a tool server's tools begin with. */
export const prefixOf = (server: string): string => `${server.replace(/[^\w-]/g, '_')}_`

/** The client's opencode.json. What would start programs or call services by itself is off. */
export function configOf(turn: Turn, servers: Record<string, Json>): string {
  const config = {
    $schema: 'https://opencode.ai/config.json',
    autoupdate: false,
    share: 'disabled',
    snapshot: false,
    formatter: false,
    lsp: false,
    ...providerOf(turn),
    default_agent: agentName,
    agent: { [agentName]: { mode: 'primary', prompt: turn.systemPrompt, steps: turnCap(turn) } },
    permission: permissionsOf(turn, Object.keys(servers)),
    experimental: { mcp_timeout: toolSeconds * 1000 },
    mcp: Object.fromEntries(Object.entries(servers).map(([name, server]) => [name, serverOf(server)])),
  }
  return asWritten(`${JSON.stringify(config, null, 2)}\n`)
}

/** The client would put files and variables in place of `{file:...}` and `{env:...}`, wherever they stand. */
const asWritten = (text: string): string => text.replace(/\{(?=env:|file:)/g, '\\u007b')

/** A tool server as the client writes it. */
function serverOf(server: Json): Json {
  const url = string(server['url'])
  if (url) return { type: 'remote', url, headers: object(server['headers']), oauth: false }
  const command = [server['command'], ...list(server['args'])].map(string)
  return { type: 'local', command, environment: object(server['env']) }
}
