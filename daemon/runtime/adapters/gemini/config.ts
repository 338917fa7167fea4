import { type Turn, toolList, turnCap } from '../adapter.ts'
import { commandHook, hookSeconds } from '../hook.ts'
import { type Json, list, object, string } from '../json.ts'

/** The client's tools for each tool that agents are given; it has none to search for tools, and none for notebooks. */
const tools: Record<string, readonly string[]> = {
  Read: ['read_file', 'list_directory'],
  Glob: ['glob'],
  Grep: ['grep_search'],
  Write: ['write_file'],
  Edit: ['replace'],
  Bash: ['run_shell_command', 'list_background_processes', 'read_background_output'],
  WebFetch: ['web_fetch'],
  WebSearch: ['google_web_search'],
}

/** The client's tools that a turn gives. */
export const toolsOf = ({ toolProfile, cliTools }: Turn): string[] =>
  toolList(toolProfile, cliTools).flatMap((name) => tools[name] ?? [])

const ownSkills = ['antigravity-support', 'skill-creator']

/** The client waits 5 seconds before it asks again, then 10, 20 and 30: a person would wait for minutes. */
const mostRetries = 3

/**
 * The client's settings.json. It offers and runs what `tools.core` names, and nothing else; `mcp_*` are all tools of
 * servers. What comes with a folder (settings, hooks, skills, agents, a `.env`) is not read.
 */
export function settingsOf(turn: Turn, servers: Record<string, Json>): Json {
  const { folders, retries = 5 } = turn
  const hook = commandHook(turn.access, 'AfterTool', hookSeconds * 1000)
  return {
    advanced: { ignoreLocalEnv: true },
    context: {
      fileFiltering: { enableRecursiveFileSearch: false },
      includeDirectories: [folders.scratch, folders.shared],
      memoryBoundaryMarkers: [],
    },
    experimental: { enableAgents: false },
    general: {
      enableAutoUpdate: false,
      enableAutoUpdateNotification: false,
      maxAttempts: Math.min(retries, mostRetries) + 1,
      plan: { enabled: false },
      sessionRetention: { enabled: false },
      topicUpdateNarration: false,
    },
    hooksConfig: { enabled: hook !== null, notifications: false },
    ...(hook && { hooks: { AfterTool: [{ matcher: '*', hooks: [hook] }] } }),
    mcpServers: Object.fromEntries(Object.entries(servers).map(([name, server]) => [name, serverOf(server)])),
    model: { disableLoopDetection: true, maxSessionTurns: turnCap(turn) },
    privacy: { usageStatisticsEnabled: false },
    // With a check of the key of its own, the client would load the folder's .gemini/.env.
    security: { auth: { selectedType: 'gemini-api-key', useExternal: true } },
    // With those that Muster gives, the client would offer its own.
    skills: turn.skills?.length ? { enabled: true, disabled: ownSkills } : { enabled: false },
    telemetry: { enabled: false },
    tools: {
      core: [...toolsOf(turn), ...(turn.skills?.length ? ['activate_skill'] : []), 'mcp_*'],
      sandbox: false,
      shell: { enableInteractiveShell: false, inactivityTimeout: 0 },
      useRipgrep: false,
    },
    ui: { showCompatibilityWarnings: false },
  }
}

/** A tool server as the client writes it. */
function serverOf(server: Json): Json {
  const url = string(server['url'])
  if (!url) return { command: string(server['command']), args: list(server['args']), env: object(server['env']) }
  return { [server['type'] === 'sse' ? 'url' : 'httpUrl']: url, headers: object(server['headers']) }
}
