import { type Adapter, commonEnv, type Launch, type ModelAccess, type Turn } from '../adapter.ts'
import { expandMcp, mergeMcp } from '../mcp.ts'
import { canReach, configOf, keyVariable } from './config.ts'
import { stderrFailure } from './failure.ts'
import { createReader } from './read.ts'
import { command } from './settings.ts'

/** OpenAI's `codex`. Checked against version 0.169.0; docs/rules/adapters.md, "Prompt". */
export const codex: Adapter = {
  name: 'CODEX_CLI',
  program: 'codex',
  command,
  keepsSessions: true,
  namesSessions: true,
  launch,
  reader: createReader,
  stderrFailure,
}

function launch(turn: Turn): Launch {
  const home = turn.session?.folder ?? `${turn.folders.run}/client`
  const env = { ...commonEnv(turn, keyNames), CODEX_HOME: home, [keyVariable]: keyOf(turn.access) }
  const servers = expandMcp(mergeMcp(turn.mcpConfigs), env)
  const reachable = Object.fromEntries(Object.entries(servers).filter(([, server]) => canReach(server)))
  return {
    spec: {
      argv: [
        'codex',
        'exec',
        '--json',
        '--skip-git-repo-check',
        '--dangerously-bypass-approvals-and-sandbox',
        '--ignore-rules',
        ...(turn.session ? [] : ['--ephemeral']),
        ...(turn.session?.resume ? ['resume', turn.session.id] : []),
        '-',
      ],
      env,
      files: [{ path: `${home}/config.toml`, content: configOf(turn, reachable) }],
      stdin: turn.prompt,
    },
    mcpServers: Object.keys(servers),
  }
}

const keyOf = (access: ModelAccess): string => (access.via === 'sidecar' ? access.key : access.token)

const keyNames = ['OPENAI_API_KEY', 'CODEX_API_KEY', 'CODEX_ACCESS_TOKEN', keyVariable]
