import type { RunFile } from '../../types.ts'
import { type Adapter, commonEnv, type Launch, type ModelAccess, type Turn, toolList, turnCap } from '../adapter.ts'
import { beforeCall, heldFor, hookAddress, hookHeaders, hookSeconds, hookVariables } from '../hook.ts'
import { mergeMcp, toolStartSeconds } from '../mcp.ts'
import { skillFiles } from '../skills.ts'
import { stderrFailure } from './failure.ts'
import { createReader } from './read.ts'
import { command } from './settings.ts'

/** Anthropic's `claude`. Checked against version 2.1.197; docs/rules/adapters.md, "Prompt". */
export const claudeCode: Adapter = {
  name: 'CLAUDE_CODE',
  program: 'claude',
  command,
  keepsSessions: true,
  holdsCalls: true,
  can: { steer: true, mcp: true, sub_agents: false, images: true, cost_report: true, turn_cap: true },
  launch,
  reader: createReader,
  stderrFailure,
}

/**
 * On the command line, where the agent cannot change them. The client would ask its vendor about each host before it
 * fetches from there, which a restricted crew may not. Its hook runs once after all tool calls of a step.
 */
function settings({ proxy, access, holdMs }: Turn): string[] {
  const url = hookAddress(access)
  const before = holdMs !== undefined &&
    url && { [beforeCall]: [{ hooks: [hookAt(url, beforeCall, heldFor(holdMs))] }] }
  const given = {
    ...(proxy && { skipWebFetchPreflight: true }),
    ...(url && { hooks: { [afterStep]: [{ hooks: [hookAt(url, afterStep, hookSeconds)] }], ...before } }),
  }
  return Object.keys(given).length > 0 ? [`--settings=${JSON.stringify(given)}`] : []
}

function launch(turn: Turn): Launch {
  const servers = mergeMcp(turn.mcpConfigs)
  const names = Object.keys(servers)
  const mcpFile = `${turn.folders.run}/mcp.json`
  const systemFile = `${turn.folders.run}/system-prompt`
  const argv = [
    'claude',
    '--print',
    '--output-format=stream-json',
    '--include-partial-messages',
    '--dangerously-skip-permissions',
    '--verbose',
    '--setting-sources=',
    '--strict-mcp-config',
    ...session(turn),
    ...(turn.model ? [`--model=${turn.model}`] : []),
    `--system-prompt-file=${systemFile}`,
    `--tools=${[...toolList(turn.toolProfile, turn.cliTools), ...(turn.skills?.length ? ['Skill'] : [])].join(',')}`,
    `--max-turns=${turnCap(turn)}`,
    ...(names.length > 0 ? [`--mcp-config=${mcpFile}`] : []),
    ...settings(turn),
    ...(turn.skills?.length ? [`--plugin-dir=${turn.folders.run}/plugin`] : []),
  ]
  return {
    spec: {
      argv,
      env: { ...commonEnv(turn, keyNames), ...clientEnv(turn), ...toolServerEnv(names), ...accessEnv(turn.access) },
      files: [
        { path: systemFile, content: turn.systemPrompt },
        ...(names.length > 0
          ? [{ path: mcpFile, content: `${JSON.stringify({ mcpServers: servers }, null, 2)}\n` }]
          : []),
        ...pluginOf(turn),
      ],
      stdin: asMessage(turn.prompt),
    },
    mcpServers: names,
  }
}

/** Skills of the run alone: of the folder and of the person none are read. */
const pluginOf = ({ folders, skills }: Turn): RunFile[] =>
  skills?.length
    ? [
        { path: `${folders.run}/plugin/.claude-plugin/plugin.json`, content: '{"name":"muster"}\n' },
        ...skillFiles(`${folders.run}/plugin/skills`, skills),
      ]
    : []

const afterStep = 'PostToolBatch'

const hookAt = (url: string, event: string, timeout: number) => ({
  type: 'http',
  url,
  headers: hookHeaders(event),
  allowedEnvVars: hookVariables,
  timeout,
})

function session({ session }: Turn): string[] {
  if (!session) return ['--no-session-persistence']
  return [session.resume ? `--resume=${session.id}` : `--session-id=${session.id}`]
}

/** A message that begins with a slash would be taken for a command of the client itself, such as /clear. */
const asMessage = (prompt: string) => (prompt.startsWith('/') ? `\n${prompt}` : prompt)

/** The client asks git where it works, and git runs what its settings there name: not for who may run nothing. */
const withoutGit = ({ toolProfile, cliTools }: Turn): Record<string, string> =>
  toolList(toolProfile, cliTools).includes('Bash') ? {} : { CLAUDE_CODE_DISABLE_GIT_INSTRUCTIONS: '1' }

const clientEnv = (turn: Turn): Record<string, string> => ({
  ...withoutGit(turn),
  ...(turn.session && { CLAUDE_CONFIG_DIR: turn.session.folder }),
  CLAUDE_CODE_MAX_RETRIES: String(turn.retries ?? 5),
  CLAUDE_CODE_DISABLE_AUTOUPDATE: '1',
  DISABLE_AUTOUPDATER: '1',
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
  DISABLE_TELEMETRY: '1',
  DISABLE_ERROR_REPORTING: '1',
})

/** The client begins after 2 s without the tools of servers that have not answered, unless it is told to wait. */
const toolServerEnv = (names: readonly string[]): Record<string, string> =>
  names.length > 0 ? { MCP_CONNECTION_NONBLOCKING: '0', MCP_CONNECT_TIMEOUT_MS: String(toolStartSeconds * 1000) } : {}

const keyNames = ['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN', 'CLAUDE_CODE_OAUTH_TOKEN']

function accessEnv(access: ModelAccess): Record<string, string> {
  if (access.via === 'sidecar') return { ANTHROPIC_API_KEY: access.key, ANTHROPIC_BASE_URL: access.origin }
  const name = access.kind === 'oauth' ? 'CLAUDE_CODE_OAUTH_TOKEN' : 'ANTHROPIC_API_KEY'
  return { [name]: access.token, ...(access.baseUrl && { ANTHROPIC_BASE_URL: access.baseUrl }) }
}
