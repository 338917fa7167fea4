import type { ToolCall } from '#contract/frames'
import { type Json, object, parseObject } from './json.ts'

/**
 * `{"mcpServers": ...}` texts as one: a later server of the same name wins, `$X` is written `${X}`, which clients
 * expand.
 */
export function mergeMcp(configs: readonly string[]): Record<string, Json> {
  const servers: Record<string, Json> = {}
  for (const config of configs) {
    for (const [name, server] of Object.entries(object(parseObject(config)?.['mcpServers'])))
      servers[name] = object(inTexts(server, spell))
  }
  return servers
}

/** Seconds that a call of a tool may take, where a client would give up sooner: people have 300 s for an escalation. */
export const toolSeconds = 330

/** Seconds that a tool server may take to start, where a client would begin without its tools sooner. */
export const toolStartSeconds = 30

/** Muster's own tool server, which no other of that name replaces. */
export const musterServer = 'muster'

/** The text that leads a run to it: the crew's sidecar, by the agent's own key. */
export const musterConfig = ({ origin, key, runId }: { origin: string; key: string; runId: string }): string =>
  JSON.stringify({
    mcpServers: {
      [musterServer]: {
        type: 'http',
        url: `${origin}/mcp`,
        headers: { Authorization: `Bearer ${key}`, 'X-Svc-Run-Id': runId },
      },
    },
  })

/** The text that leads a run to the servers that people gave its agent, each by its name: through the sidecar. */
export const gatewayConfig = (names: readonly string[], { origin, key, runId }: Parameters<typeof musterConfig>[0]) =>
  JSON.stringify({
    mcpServers: Object.fromEntries(
      names.map((name) => [
        name,
        {
          type: 'http',
          url: `${origin}/mcp/${name}`,
          headers: { Authorization: `Bearer ${key}`, 'X-Svc-Run-Id': runId },
        },
      ]),
    ),
  })

/** Servers with the variables of `env` in place of their names, for clients that expand none. */
export const expandMcp = (servers: Record<string, Json>, env: Record<string, string>): Record<string, Json> =>
  object(
    inTexts(servers, (text) => text.replace(/\$\{(\w+)\}/g, (whole, name) => env[name] ?? whole)),
  ) as typeof servers

/** `${X}` in place of `$X`. */
const spell = (text: string): string => text.replace(/\$([A-Za-z_]\w*)/g, (_, name) => `\${${name}}`)

/** A copy with another text in place of each; names of members stay. */
function inTexts(value: unknown, other: (text: string) => string): unknown {
  if (typeof value === 'string') return other(value)
  if (Array.isArray(value)) return value.map((member) => inTexts(member, other))
  return typeof value === 'object' && value !== null
    ? Object.fromEntries(Object.entries(value).map(([key, member]) => [key, inTexts(member, other)]))
    : value
}

const telling = /key|token|secret|passw|credential|auth|cookie|private/i

/** Secrets that are written out in a server's environment or headers, known by the names they have there. */
export function literalSecrets(servers: Record<string, Json>): string[] {
  return Object.values(servers)
    .flatMap((server) => [...Object.entries(object(server['env'])), ...Object.entries(object(server['headers']))])
    .filter(([name, value]) => telling.test(name) && typeof value === 'string' && !value.includes('${'))
    .map(([, value]) => String(value).replace(/^(Bearer|Basic) /i, ''))
}

/**
 * The server and its tool, of a tool's name such as `muster_ask_human`: both may have underscores. `prefixOf` says what
 * the names of a server's tools begin with.
 */
export function mcpOrigin(
  name: string,
  servers: readonly string[],
  prefixOf: (server: string) => string,
): Pick<ToolCall, 'transport' | 'mcp_server' | 'mcp_tool'> {
  const fitting = [...servers, musterServer].filter((server) => name.startsWith(prefixOf(server)))
  const mcp_server = fitting.sort((a, b) => b.length - a.length)[0]
  return mcp_server === undefined
    ? {}
    : { transport: 'mcp', mcp_server, mcp_tool: name.slice(prefixOf(mcp_server).length) }
}
