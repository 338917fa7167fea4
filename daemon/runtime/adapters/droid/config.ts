import type { LlmProvider } from '#contract/agents'
import { keyOf, type Turn, toolList } from '../adapter.ts'
import { commandHook, hookSeconds } from '../hook.ts'
import { type Json, list, object, string } from '../json.ts'
import { addressOf, modelOf } from '../models.ts'

/** The client's tools for each tool that agents are given; its own for pages and searches call its vendor's service. */
const tools: Record<string, readonly string[]> = {
  Read: ['Read', 'LS'],
  Glob: ['Glob'],
  Grep: ['Grep'],
  Write: ['Create'],
  Edit: ['Edit', 'ApplyPatch'],
  Bash: ['Execute'],
  ToolSearch: ['ToolSearch'],
}

/** The name that the client keeps as it is; others it would change, and then not find. */
export const serverName = (name: string): string => name.replace(/[^A-Za-z0-9]+/g, '_')

/** All tools that the client may offer and run, tool servers with all of theirs. */
export const toolsOf = ({ toolProfile, cliTools, skills }: Turn, servers: readonly string[]): string[] => [
  ...toolList(toolProfile, cliTools).flatMap((name) => tools[name] ?? []),
  ...(skills?.length ? ['Skill'] : []),
  ...servers.map((name) => `MCP:${serverName(name)}`),
]

/** How the client speaks with a provider's models, and what it puts behind the provider's address by itself. */
const services: Partial<Record<LlmProvider, { provider: string; version: string }>> = {
  ANTHROPIC: { provider: 'anthropic', version: '' },
  OPENAI: { provider: 'openai', version: '/v1' },
}

const modelLabel = 'Muster'

/** The name that the client has for the one model of `settingsOf`. */
export const modelId = `custom:${modelLabel}-0`

/**
 * Settings that stand above those of the folder and of the person. The model is one "of one's own", which needs no
 * account with the client's vendor.
 */
export function settingsOf(turn: Turn): Json {
  const { owner, name } = modelOf('FACTORY_DROID', turn)
  const service = services[owner]
  if (!service || !name) throw new Error('The client needs the name of a model that it can be set up for')
  const model = {
    model: name,
    displayName: modelLabel,
    provider: service.provider,
    baseUrl: `${addressOf(turn.access, owner)}${service.version}`,
    apiKey: keyOf(turn.access),
  }
  const hook = commandHook(turn.access, 'PostToolUse', hookSeconds)
  return {
    customModels: [model],
    allowManagedHooksOnly: true,
    ...(hook && { hooks: { PostToolUse: [{ matcher: '*', hooks: [hook] }] } }),
    cloudSessionSync: false,
    enabledPlugins: {},
    strictEnabledPlugins: true,
    imageGenerationEnabled: false,
    includeCoAuthoredByDroid: false,
    telemetry: { enabled: false },
    webSearchDisabled: true,
  }
}

/** The client's mcp.json. */
export const serversOf = (servers: Record<string, Json>): Json => ({
  mcpServers: Object.fromEntries(Object.entries(servers).map(([name, server]) => [serverName(name), serverOf(server)])),
})

function serverOf(server: Json): Json {
  const url = string(server['url'])
  if (url) return { type: server['type'] === 'sse' ? 'sse' : 'http', url, headers: object(server['headers']) }
  const args = list(server['args']).map(string)
  return { type: 'stdio', command: string(server['command']), args, env: object(server['env']) }
}
