import { type Adapter, commonEnv, type Launch, type Turn } from '../adapter.ts'
import { expandMcp, mergeMcp } from '../mcp.ts'
import { skillFiles } from '../skills.ts'
import { agentName, configOf } from './config.ts'
import { stderrFailure } from './failure.ts'
import { modelName } from './models.ts'
import { createReader } from './read.ts'
import { command } from './settings.ts'

/** SST's `opencode`. Checked against version 1.18.33; docs/rules/adapters.md, "Prompt". */
export const opencode: Adapter = {
  name: 'OPENCODE',
  program: 'opencode',
  command,
  keepsSessions: true,
  namesSessions: /^ses_[0-9a-f]{12}[0-9A-Za-z]{14}$/,
  can: { steer: false, mcp: true, sub_agents: false, images: false, cost_report: true, turn_cap: false },
  launch,
  reader: createReader,
  stderrFailure,
}

function launch(turn: Turn): Launch {
  const own = `${turn.folders.run}/opencode`
  const settings = `${own}/config/opencode`
  const env = { ...commonEnv(turn, namesOfClient(turn.env)), ...clientEnv(turn, own) }
  const servers = expandMcp(mergeMcp(turn.mcpConfigs), env)
  return {
    spec: {
      argv: [
        'opencode',
        'run',
        '--format=json',
        '--thinking',
        `--agent=${agentName}`,
        // Without a title the client asks a model for one.
        '--title=Muster',
        ...model(turn),
        ...(turn.session?.resume ? [`--session=${turn.session.id}`] : []),
      ],
      env,
      files: [
        { path: `${settings}/opencode.json`, content: configOf(turn, servers) },
        // The client would fetch a package for plugins that is not said to be here.
        { path: `${settings}/package-lock.json`, content: pluginsHere },
        { path: `${settings}/node_modules/.package-lock.json`, content: pluginsHere },
        ...skillFiles(`${settings}/skill`, turn.skills),
      ],
      stdin: turn.prompt,
    },
    mcpServers: Object.keys(servers),
  }
}

function model(turn: Turn): string[] {
  const name = modelName(turn)
  return name ? [`--model=${name}`] : []
}

const pluginsHere = `${JSON.stringify({ packages: { '': { dependencies: { '@opencode-ai/plugin': '*' } } } })}\n`

/**
 * The client reads settings, agents, plugins and programs from these places: all belong to the run, so that nothing
 * that an agent wrote changes what it may do.
 */
const clientEnv = ({ session }: Turn, own: string): Record<string, string> => ({
  XDG_CONFIG_HOME: `${own}/config`,
  XDG_DATA_HOME: session?.folder ?? `${own}/data`,
  XDG_STATE_HOME: `${own}/state`,
  XDG_CACHE_HOME: `${own}/cache`,
  OPENCODE_TEST_HOME: `${own}/home`,
  TMPDIR: `${own}/tmp`,
  OPENCODE_AUTH_CONTENT: '{}',
  ...Object.fromEntries(off.map((name) => [`OPENCODE_${name}`, '1'])),
})

/** What the client leaves when told so: instructions and settings of folders, plugins, calls of its vendor. */
const off = [
  'PURE',
  'DISABLE_AUTOUPDATE',
  'DISABLE_CLAUDE_CODE',
  'DISABLE_DEFAULT_PLUGINS',
  'DISABLE_EXTERNAL_SKILLS',
  'DISABLE_LSP_DOWNLOAD',
  'DISABLE_MODELS_FETCH',
  'DISABLE_PROJECT_CONFIG',
]

/** Variables that the client reads as settings or keys of its own. */
const namesOfClient = (env: Record<string, string>): string[] =>
  Object.keys(env).filter((name) => /^OPENCODE_|^(?:ANTHROPIC|OPENAI|GOOGLE|GEMINI)_(?:\w+_)?API_KEY$/.test(name))
