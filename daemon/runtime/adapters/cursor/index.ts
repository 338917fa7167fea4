import { type Adapter, commonEnv, keyOf, type Launch, type Turn, toolList } from '../adapter.ts'
import { type Json, list, object, string } from '../json.ts'
import { expandMcp, mergeMcp } from '../mcp.ts'
import { linkedSkills } from '../skills.ts'
import { stderrFailure } from './failure.ts'
import { createReader } from './read.ts'
import { command } from './settings.ts'

/**
 * Cursor's `cursor-agent`, by what is published of it: Muster never ran it, and makes no agents that work with it.
 * docs/decisions/adapters.md.
 */
export const cursor: Adapter = {
  name: 'CURSOR_CLI',
  program: 'cursor-agent',
  command,
  keepsSessions: false,
  can: { steer: false, mcp: false, sub_agents: false, images: false, cost_report: false, turn_cap: false },
  refused: 'It takes only a real key, which no agent holds, and was never run',
  launch,
  reader: createReader,
  stderrFailure,
}

function launch(turn: Turn): Launch {
  const { folders, access, systemPrompt, prompt } = turn
  // Its calls go to its vendor alone and carry the key itself, so nothing can put a key in on the way.
  if (access.via === 'sidecar') throw new Error('The client needs the real key, which agents do not get')
  const config = `${folders.run}/cursor`
  const env = {
    ...commonEnv(turn, namesOfClient(turn.env)),
    CURSOR_API_KEY: keyOf(access),
    CURSOR_CONFIG_DIR: config,
    NO_COLOR: '1',
  }
  const servers = expandMcp(mergeMcp(turn.mcpConfigs), env)
  return {
    spec: {
      argv: [
        'cursor-agent',
        '--print',
        '--output-format=stream-json',
        '--stream-partial-output',
        '--trust',
        ...permission(turn),
        ...(Object.keys(servers).length > 0 ? ['--approve-mcps'] : []),
        ...(turn.model ? [`--model=${turn.model}`] : []),
      ],
      env,
      files: [
        { path: `${config}/cli-config.json`, content: written(settings) },
        { path: `${folders.home}/.cursor/mcp.json`, content: written(serversOf(servers)) },
        ...linkedSkills(folders.run, `${folders.home}/.cursor/skills`, turn.skills),
      ],
      stdin: `[SYSTEM]\n${systemPrompt}\n\n[USER]\n${prompt}`,
    },
    mcpServers: Object.keys(servers),
  }
}

/** The client knows all tools or those that read; what is between them is told as the latter. */
const permission = ({ toolProfile, cliTools }: Turn): string[] => {
  const tools = toolList(toolProfile, cliTools)
  return ['Bash', 'Write', 'Edit'].every((name) => tools.includes(name)) ? ['--force'] : ['--mode=ask']
}

const settings = { version: 1, editor: { vimMode: false }, permissions: { allow: [], deny: [] } }

const written = (value: object) => `${JSON.stringify(value, null, 2)}\n`

const namesOfClient = (env: Record<string, string>): string[] =>
  Object.keys(env).filter((name) => name.startsWith('CURSOR_'))

const serversOf = (servers: Record<string, Json>): Json => ({
  mcpServers: Object.fromEntries(Object.entries(servers).map(([name, server]) => [name, serverOf(server)])),
})

function serverOf(server: Json): Json {
  const url = string(server['url'])
  if (url) return { url, headers: object(server['headers']) }
  return { command: string(server['command']), args: list(server['args']).map(string), env: object(server['env']) }
}
