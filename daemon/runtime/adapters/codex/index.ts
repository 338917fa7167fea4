import { type Adapter, commonEnv, keyOf, type Launch, type Turn } from '../adapter.ts'
import { expandMcp, mergeMcp } from '../mcp.ts'
import { linkedSkills } from '../skills.ts'
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
  keepsInstructions: true,
  namesSessions: /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i,
  can: { steer: true, mcp: true, sub_agents: false, images: false, cost_report: false, turn_cap: false },
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
        '--dangerously-bypass-hook-trust',
        ...(turn.session ? [] : ['--ephemeral']),
        ...(turn.session?.resume ? ['resume', turn.session.id] : []),
        '-',
      ],
      env,
      files: [
        { path: `${home}/config.toml`, content: configOf(turn, reachable) },
        // Hooks of the session's folder run, too: there are none but those of the configuration.
        { path: `${home}/hooks.json`, content: '{}\n' },
        ...linkedSkills(turn.folders.run, `${home}/skills`, turn.skills),
      ],
      stdin: turn.prompt,
    },
    mcpServers: Object.keys(servers),
  }
}

const keyNames = ['OPENAI_API_KEY', 'CODEX_API_KEY', 'CODEX_ACCESS_TOKEN', keyVariable]
