import { stringify } from 'smol-toml'
import { type Turn, toolList } from '../adapter.ts'
import { commandHook, hookSeconds } from '../hook.ts'
import { type Json, list, object, string } from '../json.ts'
import { toolSeconds, toolStartSeconds } from '../mcp.ts'

/** The variable that holds the key, as the configuration names it. */
export const keyVariable = 'MUSTER_MODEL_KEY'

const provider = 'muster'

/**
 * The client's config.toml. The container is its sandbox, so it has none of its own. Features that would reach for the
 * vendor's other services, or for a desktop, are off.
 */
export function configOf(turn: Turn, servers: Record<string, Json>): string {
  const { access, retries = 5, model, systemPrompt } = turn
  const hook = commandHook(access, 'PostToolUse', hookSeconds)
  const tools = toolList(turn.toolProfile, turn.cliTools)
  const base = access.via === 'sidecar' ? `${access.origin}/openai` : (access.baseUrl ?? 'https://api.openai.com')
  return stringify({
    ...(model && { model }),
    model_provider: provider,
    check_for_update_on_startup: false,
    web_search: tools.includes('WebSearch') ? 'live' : 'disabled',
    developer_instructions: systemPrompt,
    analytics: { enabled: false },
    history: { persistence: 'none' },
    features: { apps: false, browser_use: false, computer_use: false, goals: false, image_generation: false },
    model_providers: {
      [provider]: {
        name: provider,
        base_url: `${base}/v1`,
        env_key: keyVariable,
        wire_api: 'responses',
        request_max_retries: retries,
        stream_max_retries: retries,
      },
    },
    ...(hook && { hooks: { PostToolUse: [{ hooks: [{ ...hook }] }] } }),
    mcp_servers: Object.fromEntries(Object.entries(servers).map(([name, server]) => [name, serverOf(server)])),
  })
}

/** The client knows no servers that stream events by the older protocol. */
export const canReach = (server: Json): boolean => server['type'] !== 'sse'

/** A tool server as the client writes it. */
function serverOf(server: Json): Json {
  const url = string(server['url'])
  const own = { startup_timeout_sec: toolStartSeconds, tool_timeout_sec: toolSeconds }
  if (url) return { url, http_headers: texts(server['headers']), ...own }
  const [command, args] = [string(server['command']), list(server['args']).map(string)]
  return { command, args, env: texts(server['env']), ...own }
}

const texts = (value: unknown): Record<string, string> =>
  Object.fromEntries(Object.entries(object(value)).map(([name, text]) => [name, string(text)]))
