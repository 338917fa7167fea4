import { hash } from 'node:crypto'
import { providerFor } from '#contract/agents'
import type { SessionLoss } from '#contract/entries/chats'
import type { App } from '#kernel/app'
import { problem } from '#kernel/problem'
import { type AgentRow, agentById, agentsOfCrew } from '../../features/agents/service.ts'
import { saidMeanwhile, sessionFor } from '../../features/chats/sessions/service.ts'
import { deliveryOf, type Secret, secretFiles } from '../../features/credentials/delivery/service.ts'
import { containerOf } from '../../features/crews/containers/service.ts'
import { placeOf } from '../../features/crews/places/service.ts'
import { gatewayServers } from '../../features/integrations/gateway/service.ts'
import { monitoring } from '../../features/keeper/calls/service.ts'
import { contextOf } from '../../features/memory/context/service.ts'
import { rulesIn } from '../../features/memory/rules/service.ts'
import { writtenPersona } from '../../features/persona/service.ts'
import { originOf } from '../../features/runs/chains/service.ts'
import { sourceOf } from '../../features/runs/messages/service.ts'
import { checkNotHeld, type Run } from '../../features/runs/service.ts'
import { skillsOf } from '../../features/skills/delivery/service.ts'
import { decoysOf } from '../../features/tripwires/service.ts'
import { languageOf } from '../../features/workspaces/service.ts'
import { type Adapter, capReason, type Folders, foldersOf, type Turn } from '../adapters/adapter.ts'
import { composePrompt, type Remembered } from '../adapters/history.ts'
import { gatewayConfig, musterConfig, musterServer } from '../adapters/mcp.ts'
import { agentKey } from '../agent-keys.ts'
import type { Runtime } from '../types.ts'
import type { Brief, LaunchFacts } from './parts.ts'
import { clientSessionId, programOf, turnsOf } from './program.ts'
import { systemPrompt } from './system-prompt.ts'

interface Briefing {
  app: App
  runtime: Runtime
  adapterOf(name: string): Adapter | undefined
}

/** Puts together what a run's program is started with, from the agent as it is now and the chat as it was. */
export function briefRun({ app, runtime, adapterOf }: Briefing, run: Run): Brief {
  const found = agentById(app, run.agent_id)
  const place = placeOf(app, run.agent_id)
  const asked = sourceOf(app, run).prompt(app, run)
  if (!found) throw problem('not_found', { detail: 'The agent is deleted' })
  if (!asked) throw problem('not_found', { detail: 'What the agent was asked is deleted' })
  checkNotHeld(app, found)
  const agent = { ...found, llm_model: asked.model ?? found.llm_model }
  if (place?.crewId !== run.crew_id)
    throw problem('crew_not_running', { detail: 'The agent has left the crew in which this run was to happen' })
  const adapter = adapterOf(agent.cli_adapter)
  if (!adapter) throw problem('runtime_failed', { detail: `This version cannot run ${agent.cli_adapter}` })
  const places = runtime.places(run.crew_id, place.agent)
  const { runId } = programOf(run, place)
  const folders = foldersOf(places, runId)
  const system = systemPrompt(situationOf(app, agent, run, folders))
  const { session, unseen, lost } = sessionOf(app, run, agent, adapter, { program: runId, system })
  // A client that goes on with its own session knows what was said.
  const history = session?.resumed ? unseen : asked.history()
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
    skills: skillsOf(app, agent.id),
    ...held(app, run, adapter),
  })
  const timeoutSeconds = timeLeft(limitOf(app, agent, run), run)
  const { spec, mcpServers } = adapter.launch(turn)
  const { models, secrets } = deliveryOf(app, agent.id)
  const files = [...spec.files, ...secretFiles([...secrets, ...decoysAmong(app, run, secrets)], places.secrets)]
  const local = runtime.kind === 'process' ? app.config.vendor[adapter.command.path] : undefined
  const argv = local ? [local, ...spec.argv.slice(1)] : spec.argv
  return {
    credentialIds: [...models, ...secrets].map(({ credentialId }) => credentialId),
    handedIds: secrets.map(({ credentialId }) => credentialId),
    spec: { ...spec, argv, files, runId, crewId: run.crew_id, agent: place.agent, timeoutSeconds },
    facts: {
      agent: place.agent,
      adapter: adapter.name,
      provider: turn.provider,
      // Its failure is on record; a client that knows no tool servers need not name it.
      mcpServers: mcpServers.filter((name) => name !== musterServer),
      timeoutSeconds,
      ...(turn.holdMs !== undefined && { holds: true }),
      session,
      command: {
        cmd: capReason(spec.argv.join(' ')),
        container_id: containerOf(app, run.crew_id)?.container_id ?? null,
        adapter: adapter.name,
        model: agent.llm_model,
      },
    },
    started: {
      adapter: adapter.name,
      provider: turn.provider,
      model: agent.llm_model,
      prompt_hash: hash('sha256', prompt.text),
      instructions_hash: hash('sha256', system),
    },
    learned: rulesIn(app, run.crew_id, system),
    overflow: prompt.overflow,
    lost,
  }
}

/** The decoys that an agent is given like its secrets; a secret of the same name comes first. */
function decoysAmong(app: App, run: Run, secrets: readonly Secret[]): Secret[] {
  const names = new Set(secrets.map(({ name }) => name))
  return decoysOf(app, run.crew_id).flatMap(({ id, variable, value }) =>
    variable === null || names.has(variable) ? [] : [{ credentialId: id, name: variable, value }],
  )
}

/** How long calls are held, where the crew blocks what is judged harmful and the client can ask. */
function held(app: App, run: Run, { holdsCalls }: Adapter): Pick<Turn, 'holdMs'> {
  const how = holdsCalls ? monitoring(app, run.workspace_id, run.crew_id) : null
  return how?.mode === 'block' ? { holdMs: how.budgetMs } : {}
}

interface Kept {
  session: LaunchFacts['session']
  /** What was said in the chat that a session to go on with does not know. */
  unseen: Remembered[]
  lost: SessionLoss | null
}

interface Told {
  program: string
  system: string
}

/** The session that the client begins, or goes on with: of the run itself, or of its chat's last turn. */
function sessionOf(app: App, run: Run, agent: AgentRow, adapter: Adapter, { program, system }: Told): Kept {
  const kept = (session: LaunchFacts['session'], more: Partial<Kept> = {}): Kept => ({
    session,
    unseen: [],
    lost: null,
    ...more,
  })
  if (!adapter.keepsSessions) return kept(null)
  const before = run.launch_json ? (JSON.parse(run.launch_json) as LaunchFacts) : null
  // A run that is not in line was being started with these by a daemon before this one.
  if (before && run.phase !== 'queued') return kept(before.session)
  if (before?.session && before.adapter === adapter.name)
    return kept({ ...before.session, resumed: true }, { unseen: saidMeanwhile(app, run) })
  if (run.chat_id === null) return kept({ id: clientSessionId(program), program, resumed: false })
  const provider = providerFor(agent.cli_adapter, agent.llm_provider)!
  const instructions = adapter.keepsInstructions && { instructions: hash('sha256', system) }
  const client = { adapter: adapter.name, provider, model: agent.llm_model, ...instructions }
  const found = sessionFor(app, run, client)
  if (found && 'id' in found) {
    const { id, folder, used, unseen } = found
    return kept({ id, program: folder, resumed: true, client, used }, { unseen })
  }
  const session = { id: clientSessionId(program), program: `session-${program}`, resumed: false, client }
  return kept(session, { lost: found?.lost ?? null })
}

/** Seconds that a run which another program asked for may work. */
const webhookSeconds = 600

const limitOf = (app: App, { timeout_seconds }: AgentRow, run: Run): number =>
  originOf(app, run) === 'WEBHOOK' ? Math.min(timeout_seconds, webhookSeconds) : timeout_seconds

/** A minute at least, however long the run has worked before it asked. */
const timeLeft = (limit: number, { worked_ms }: Run): number =>
  Math.max(limit - Math.floor(worked_ms / 1000), Math.min(limit, 60))

function situationOf(app: App, agent: AgentRow, run: Run, folders: Folders) {
  const mates = agentsOfCrew(app, run.crew_id).filter(({ id }) => id !== agent.id)
  return {
    agent,
    crew: { name: agent.crew_name ?? '' },
    persona: writtenPersona(app, agent),
    memory: contextOf(app, agent).text,
    mates,
    folders,
    language: languageOf(app, run.workspace_id),
  }
}

type Given = Pick<Turn, 'folders' | 'systemPrompt' | 'prompt' | 'env' | 'session' | 'skills' | 'holdMs'> & {
  sidecar: string
}

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
  provider: providerFor(agent.cli_adapter, agent.llm_provider)!,
  toolProfile: agent.tool_profile,
  cliTools: agent.cli_tools,
  mcpConfigs: [
    agent.mcp_config_json ?? '',
    gatewayConfig(gatewayServers(app, agent), { origin: sidecar, key, runId: run.id }),
    musterConfig({ origin: sidecar, key, runId: run.id }),
  ],
  ...turnsOf(run),
  access: { via: 'sidecar', key, origin: sidecar },
  proxy: sidecar,
})
