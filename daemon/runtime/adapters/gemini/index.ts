import { type Adapter, commonEnv, type Launch, type ModelAccess, type Turn } from '../adapter.ts'
import { mergeMcp } from '../mcp.ts'
import { linkedSkills } from '../skills.ts'
import { settingsOf, toolsOf } from './config.ts'
import { stderrFailure } from './failure.ts'
import { createReader } from './read.ts'
import { command } from './settings.ts'

/** Google's `gemini`. Checked against version 0.61.0; docs/rules/adapters.md, "Prompt". */
export const gemini: Adapter = {
  name: 'GEMINI_CLI',
  program: 'gemini',
  command,
  keepsSessions: true,
  can: { steer: true, mcp: true, sub_agents: false, images: false, cost_report: false, turn_cap: true },
  launch,
  reader: createReader,
  stderrFailure,
}

function launch(turn: Turn): Launch {
  const home = turn.session?.folder ?? `${turn.folders.run}/client`
  const servers = mergeMcp(turn.mcpConfigs)
  const systemFile = `${turn.folders.run}/system-prompt`
  return {
    spec: {
      argv: [
        'gemini',
        '--output-format=stream-json',
        // Trust that comes with an argument comes too late for the settings of the folder to be read.
        '--skip-trust',
        '--extensions=none',
        `--approval-mode=${toolsOf(turn).includes('run_shell_command') ? 'yolo' : 'default'}`,
        ...(turn.model ? [`--model=${turn.model}`] : []),
        ...session(turn),
      ],
      env: {
        ...commonEnv(turn, namesOfClient(turn.env)),
        ...clientEnv(turn, home, systemFile),
        ...accessEnv(turn.access),
      },
      files: [
        { path: systemFile, content: systemOf(turn) },
        { path: `${home}/.gemini/settings.json`, content: `${JSON.stringify(settingsOf(turn, servers), null, 2)}\n` },
        ...linkedSkills(turn.folders.run, `${home}/.gemini/skills`, turn.skills),
      ],
      stdin: asMessage(turn.prompt),
    },
    mcpServers: Object.keys(servers),
  }
}

const session = ({ session }: Turn): string[] =>
  session ? [session.resume ? `--resume=${session.id}` : `--session-id=${session.id}`] : []

/** The client puts what it tells of skills where its prompt has this mark. */
const systemOf = ({ systemPrompt, skills }: Turn): string =>
  skills?.length ? `${systemPrompt}\n\n\${AgentSkills}` : systemPrompt

/** A message that begins with a slash would be taken for a command of the client itself, such as /clear. */
const asMessage = (prompt: string) => (prompt.startsWith('/') ? `\n${prompt}` : prompt)

/** Variables that the client reads as settings of its own. */
const namesOfClient = (env: Record<string, string>): string[] =>
  Object.keys(env).filter((name) => /^(?:GEMINI_|GOOGLE_(?:API_KEY$|GEMINI_|GENAI_))/.test(name))

/**
 * The client would start itself again, and not pass signals on. What it tells its model it writes to the folder for
 * temporary files when a call fails, for everybody to read.
 */
const clientEnv = ({ folders }: Turn, home: string, systemFile: string): Record<string, string> => ({
  GEMINI_CLI_HOME: home,
  GEMINI_CLI_NO_RELAUNCH: 'true',
  GEMINI_SYSTEM_MD: systemFile,
  NO_COLOR: '1',
  TMPDIR: folders.run,
})

function accessEnv(access: ModelAccess): Record<string, string> {
  const key = access.via === 'sidecar' ? access.key : access.token
  const base = access.via === 'sidecar' ? `${access.origin}/gemini` : access.baseUrl
  return { GEMINI_API_KEY: key, ...(base && { GOOGLE_GEMINI_BASE_URL: base }) }
}
