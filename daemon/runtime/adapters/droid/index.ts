import { type Adapter, commonEnv, type Launch, type Turn } from '../adapter.ts'
import { expandMcp, mergeMcp } from '../mcp.ts'
import { linkedSkills } from '../skills.ts'
import { modelId, serversOf, settingsOf, toolsOf } from './config.ts'
import { failureAtEnd } from './failure.ts'
import { createReader } from './read.ts'
import { command } from './settings.ts'

/** Factory's `droid`. Checked against version 0.215.0; docs/rules/adapters.md, "Prompt". */
export const droid: Adapter = {
  name: 'FACTORY_DROID',
  program: 'droid',
  command,
  keepsSessions: true,
  namesSessions: /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/,
  can: { steer: true, mcp: true, sub_agents: false, images: false, cost_report: false, turn_cap: false },
  launch,
  reader: createReader,
  stderrFailure: failureAtEnd,
}

function launch(turn: Turn): Launch {
  const { run } = turn.folders
  const home = turn.session?.folder ?? `${run}/client`
  const systemFile = `${run}/system-prompt`
  const settings = `${run}/settings.json`
  const env = { ...commonEnv(turn, namesOfClient(turn.env)), ...clientEnv(home, settings) }
  const servers = expandMcp(mergeMcp(turn.mcpConfigs), env)
  const names = Object.keys(servers)
  return {
    spec: {
      argv: [
        'droid',
        'exec',
        '--output-format=stream-json',
        `--model=${modelId}`,
        // The client would believe the model about how dangerous a command is. What it may do is said by its tools.
        '--skip-permissions-unsafe',
        `--only-tools=${toolsOf(turn, names).join(',')}`,
        '--disable-builtin-skills',
        `--append-system-prompt-file=${systemFile}`,
        // Going on with a session itself asks a service of the client's vendor; a copy of it does not.
        ...(turn.session?.resume ? [`--fork=${turn.session.id}`] : []),
      ],
      env,
      files: [
        { path: systemFile, content: turn.systemPrompt },
        { path: settings, content: `${JSON.stringify(settingsOf(turn), null, 2)}\n` },
        { path: `${home}/.factory/mcp.json`, content: `${JSON.stringify(serversOf(servers), null, 2)}\n` },
        { path: `${home}/.factory/settings.json`, content: '{}\n' },
        ...linkedSkills(run, `${home}/.factory/skills`, turn.skills),
      ],
      stdin: asMessage(turn.prompt),
    },
    mcpServers: names,
  }
}

/**
 * A message that begins with a slash would be taken for a command, which may be a program of the folder. White space
 * before it does not count; a space without width does.
 */
const asMessage = (prompt: string) => (prompt.trimStart().startsWith('/') ? `\u200b${prompt}` : prompt)

/** Variables that the client reads as settings of its own. */
const namesOfClient = (env: Record<string, string>): string[] =>
  Object.keys(env).filter((name) => /^(?:FACTORY|DROID)_/.test(name))

/** A port at which nobody answers. */
const nowhere = 'http://127.0.0.1:9'

/** The client tells its vendor how it is used, whatever its settings; the models are called without that. */
const clientEnv = (home: string, settings: string): Record<string, string> => ({
  FACTORY_API_BASE_URL: nowhere,
  FACTORY_TELEMETRY_INGEST_BASE_URL: nowhere,
  FACTORY_HOME_OVERRIDE: home,
  FACTORY_ORG_MANAGED_SETTINGS_LOCAL_PATH: settings,
  FACTORY_DROID_AUTO_UPDATE_ENABLED: 'false',
  FACTORY_DISABLE_KEYRING: '1',
  FACTORY_DISABLE_DYNAMIC_CONFIG: 'true',
})
