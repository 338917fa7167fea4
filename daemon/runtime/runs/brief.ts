import type { App } from '#kernel/app'
import { problem } from '#kernel/problem'
import { type AgentRow, agentById, agentsOfCrew } from '../../features/agents/service.ts'
import { deliveryOf, secretFiles } from '../../features/credentials/delivery/service.ts'
import { containerOf } from '../../features/crews/containers/service.ts'
import { placeOf } from '../../features/crews/places/service.ts'
import { sourceOf } from '../../features/runs/messages/service.ts'
import type { Run } from '../../features/runs/service.ts'
import { languageOf } from '../../features/workspaces/service.ts'
import { type Adapter, capReason, type Folders, foldersOf, type Turn } from '../adapters/adapter.ts'
import { composePrompt } from '../adapters/history.ts'
import { musterConfig, musterServer } from '../adapters/mcp.ts'
import { agentKey } from '../agent-keys.ts'
import type { Runtime } from '../types.ts'
import type { Brief, LaunchFacts } from './parts.ts'
import { clientSessionId, programOf } from './program.ts'
import { systemPrompt } from './system-prompt.ts'

interface Briefing {
  app: App
  runtime: Runtime
  adapterOf(name: string): Adapter | undefined
}

/** Puts together what a run's program is started with, from the agent as it is now and the chat as it was. */
export function briefRun({ app, runtime, adapterOf }: Briefing, run: Run): Brief {
  const agent = agentById(app, run.agent_id)
  const place = placeOf(app, run.agent_id)
  const asked = sourceOf(app, run).prompt(app, run)
  if (!agent) throw problem('not_found', { detail: 'The agent is deleted' })
  if (!asked) throw problem('not_found', { detail: 'What the agent was asked is deleted' })
  if (place?.crewId !== run.crew_id)
    throw problem('crew_not_running', { detail: 'The agent has left the crew in which this run was to happen' })
  const adapter = adapterOf(agent.cli_adapter)
  if (!adapter) throw problem('runtime_failed', { detail: `This version cannot run ${agent.cli_adapter}` })
  const places = runtime.places(run.crew_id, place.agent)
  const { runId } = programOf(run, place)
  const folders = foldersOf(places, runId)
  const system = systemPrompt(situationOf(app, agent, run, folders))
  const session = sessionOf(run, adapter, runId)
  // A client that goes on with its own session knows what was said.
  const history = session?.resumed ? [] : asked.history()
  const prompt = composePrompt({ history, message: asked.text, systemPrompt: system })
  const kept = session && {
    id: session.id,
    resume: session.resumed,
    folder: `${places.runs}/${session.program}/client`,
  }
  const turn = turnOf(app, agent, run, {
    folders,
    systemPrompt: system,
    prompt: prompt.text,
    sidecar: places.sidecarUrl,
    env: {},
    session: kept,
  })
  const timeoutSeconds = timeLeft(agent.timeout_seconds, run)
  const { spec, mcpServers } = adapter.launch(turn)
  const { models, secrets } = deliveryOf(app, agent.id)
  const files = [...spec.files, ...secretFiles(secrets, places.secrets)]
  const local = runtime.kind === 'process' ? app.config.vendor[adapter.command.path] : undefined
  const argv = local ? [local, ...spec.argv.slice(1)] : spec.argv
  return {
    credentialIds: [...models, ...secrets].map(({ credentialId }) => credentialId),
    spec: { ...spec, argv, files, runId, crewId: run.crew_id, agent: place.agent, timeoutSeconds },
    facts: {
      agent: place.agent,
      adapter: adapter.name,
      // Its failure is on record; a client that knows no tool servers need not name it.
      mcpServers: mcpServers.filter((name) => name !== musterServer),
      timeoutSeconds,
      session,
      command: {
        cmd: capReason(spec.argv.join(' ')),
        container_id: containerOf(app, run.crew_id)?.container_id ?? null,
        adapter: adapter.name,
        model: agent.llm_model,
      },
    },
    overflow: prompt.overflow,
  }
}

/** The session that the client begins, or goes on with. */
function sessionOf(run: Run, adapter: Adapter, program: string): LaunchFacts['session'] {
  if (!adapter.keepsSessions) return null
  const before = run.launch_json ? (JSON.parse(run.launch_json) as LaunchFacts) : null
  // A run that is not in line was being started with these by a daemon before this one.
  if (before && run.phase !== 'queued') return before.session
  if (before?.session && before.adapter === adapter.name) return { ...before.session, resumed: true }
  return { id: clientSessionId(program), program, resumed: false }
}

/** A minute at least, however long the run has worked before it asked. */
const timeLeft = (limit: number, { worked_ms }: Run): number =>
  Math.max(limit - Math.floor(worked_ms / 1000), Math.min(limit, 60))

function situationOf(app: App, agent: AgentRow, run: Run, folders: Folders) {
  const mates = agentsOfCrew(app, run.crew_id).filter(({ id }) => id !== agent.id)
  return { agent, crew: { name: agent.crew_name ?? '' }, mates, folders, language: languageOf(app, run.workspace_id) }
}

type Given = Pick<Turn, 'folders' | 'systemPrompt' | 'prompt' | 'env' | 'session'> & { sidecar: string }

const turnOf = (
  app: App,
  agent: AgentRow,
  run: Run,
  { sidecar, ...given }: Given,
  key = agentKey(app, agent.id),
): Turn => ({
  ...given,
  runId: run.id,
  crewId: run.crew_id,
  chatId: run.chat_id,
  agent: { id: agent.id, slug: agent.slug },
  model: agent.llm_model,
  toolProfile: agent.tool_profile,
  cliTools: agent.cli_tools,
  mcpConfigs: [agent.mcp_config_json ?? '', musterConfig({ origin: sidecar, key, runId: run.id })],
  maxTurns: run.max_turns,
  unattended: run.trigger_type !== 'USER',
  access: { via: 'sidecar', key, origin: sidecar },
  proxy: sidecar,
})
