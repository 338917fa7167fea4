import type { App } from '#kernel/app'
import type { Recorded } from '#kernel/journal/journal'
import type { AgentFile, Runs, Watch, Watcher } from '#kernel/runs'
import { recordSoon } from '#kernel/store/until-written'
import { agentById } from '../../features/agents/service.ts'
import {
  type Execution,
  executionsOfAgent,
  executionsOfCrew,
  findExecution,
  lastFrameOf,
  leftExecutions,
  openExecutions,
  skipFrames,
  wishCancel,
  workingOfAgent,
} from '../../features/chats/executions/service.ts'
import { desiredCrew } from '../../features/crews/containers/service.ts'
import { placeOf } from '../../features/crews/places/service.ts'
import { adapterOf } from '../adapters/index.ts'
import type { Runtime } from '../types.ts'
import { briefRun } from './brief.ts'
import { createCrewGate } from './crew-gate.ts'
import type { LaunchFacts, RunParts } from './parts.ts'
import { discardPrograms, programIds } from './program.ts'
import { prologueFrames, Run } from './run.ts'
import { secretsOf } from './secrets.ts'
import { Session } from './session.ts'
import { Slots } from './slots.ts'

/** How long the frames of a run are kept for those who come late. */
const replayMs = 2 * 60_000
const terminals = new Set<string>(['run.completed', 'run.failed', 'run.cancelled', 'run.timeout'])

export interface RunService extends Runs {
  /** Takes up what a daemon before this one left: runs that go on, runs that wait. To be called once, at start. */
  recover(): Promise<void>
  /** Ends a run as failed, for this reason. */
  fail(runId: string, reason: string): void
  /** Leaves everything to a later daemon. */
  close(): Promise<void>
}

/** The way to the crews. */
export type Gate = Pick<RunParts, 'ready' | 'goneFor'>

/** Carries out the runs of agents: started by their journal entry, ended by their wish. */
export function createRuns(app: App, runtime: Runtime, gate: Gate = createCrewGate(app)): RunService {
  const parts: RunParts = {
    ...gate,
    app,
    runtime,
    slots: new Slots(app.config.maxConcurrentRuns),
    ready: readyAndTidy,
    adapterOf,
    room: async (...asked) => (await app.disk?.room(...asked)) ?? null,
    brief: (run) => briefRun({ app, runtime, adapterOf }, run),
    secretsOf: (run) => secretsOf(app, run),
  }
  const live = new Map<string, Run>()
  const sessions = new Map<string, Session>()
  const expiries = new Map<string, NodeJS.Timeout>()

  function sessionOf(chatId: string): Session {
    const known = sessions.get(chatId)
    if (known) return known
    const made = new Session(lastFrameOf(app, chatId))
    sessions.set(chatId, made)
    return made
  }

  /** A run that has said its farewell tidies up for a moment more; only then its frames begin to age. */
  const hasLive = (chatId: string): boolean => [...live.values()].some(({ execution }) => execution.chat_id === chatId)

  /** Forgets a session that nobody needs. */
  function tidy(chatId: string): void {
    const session = sessions.get(chatId)
    if (session && !session.watched && !expiries.has(chatId) && !hasLive(chatId)) sessions.delete(chatId)
  }

  function begin(execution: Execution): void {
    const { id, chat_id } = execution
    clearTimeout(expiries.get(chat_id))
    expiries.delete(chat_id)
    const run = new Run(parts, execution, sessionOf(chat_id))
    live.set(id, run)
    void run.over.then(() => {
      live.delete(id)
      if (sessions.get(chat_id)?.active) return
      const clear = setTimeout(() => {
        expiries.delete(chat_id)
        sessions.get(chat_id)?.clear()
        tidy(chat_id)
      }, replayMs)
      clear.unref()
      expiries.set(chat_id, clear)
    })
  }

  async function readyAndTidy(crewId: string): Promise<void> {
    await gate.ready(crewId)
    for (const run of leftExecutions(app, crewId)) discard(run)
  }

  const discard = (run: Execution): void =>
    void discardPrograms(app, runtime, run, JSON.parse(run.launch_json!) as LaunchFacts)

  /** Begins what waits for its place; what is still being parked goes on once it is. */
  function resume(id: string): void {
    const before = live.get(id)
    if (before) return void before.over.then(() => resume(id))
    const execution = findExecution(app, id)
    if (execution?.phase === 'queued') begin(execution)
  }

  /** The end of a run: of one that waited for a person only its spools are left. */
  function end(id: string): void {
    const run = live.get(id)
    const execution = run ? null : findExecution(app, id)
    if (execution?.launch_json) discard(execution)
    run?.sayFarewell()
  }

  function onEntry({ entry }: Recorded): void {
    const { entry_type, trace_id, crew_id, payload } = entry
    if (entry_type === 'run.started' && trace_id) {
      const execution = findExecution(app, trace_id)
      if (execution?.phase === 'queued' && !live.has(trace_id)) begin(execution)
    } else if (entry_type === 'run.parked' && trace_id) {
      live.get(trace_id)?.park()
    } else if (entry_type === 'run.resumed' && trace_id) {
      resume(trace_id)
    } else if (trace_id && terminals.has(entry_type)) {
      end(trace_id)
    } else if (entry_type.startsWith('provisioning.') && crew_id) {
      tellProgress(crew_id, entry.entry_type.slice('provisioning.'.length), entry.summary)
    } else if (entry_type === 'audit.entity_deleted') {
      const id = String(payload?.['entity_id'])
      if (payload?.['entity_type'] === 'agent') endAll(executionsOfAgent(app, id), entry.actor_id)
      if (payload?.['entity_type'] === 'crew') endAll(executionsOfCrew(app, id), entry.actor_id)
    }
  }

  /** Runs that wait for a crew say how it comes up. */
  function tellProgress(crewId: string, what: string, text: string): void {
    const slug = desiredCrew(app, crewId)?.spec.slug ?? ''
    for (const run of live.values()) {
      if (run.execution.crew_id !== crewId) continue
      if (what === 'step') run.note(text)
      else run.noteImage(text, slug, what)
    }
  }

  /** Who deletes an agent or its crew ends what is going on there. */
  function endAll(executions: Execution[], by: string | undefined): void {
    if (!executions.length) return
    recordSoon(app, 'the end of runs of what was deleted', () => {
      for (const { id } of executions) wishCancel(app, id, by ?? null)
      app.afterCommit(() => executions.forEach(({ id }) => void live.get(id)?.cancel()))
    })
  }

  app.bus.on('entry', onEntry)
  runtime.onOpenRuns((agentId) => workingOfAgent(app, agentId).map((run) => programIds(run).at(-1)!))

  return {
    watch(chatId: string, after: number | null, watcher: Watcher): Watch {
      const session = sessionOf(chatId)
      const watch = session.watch(after ?? session.lastSeq, watcher)
      return {
        ...watch,
        close() {
          watch.close()
          tidy(chatId)
        },
      }
    },
    isWatched: (chatId, user) => sessions.get(chatId)?.isWatchedBy(user) ?? false,
    get full() {
      return !parts.slots.free
    },
    cancel: (runId) => live.get(runId)?.cancel(),
    fail: (runId, reason) => live.get(runId)?.fail(reason),
    ended: async (runId) => live.get(runId)?.over,
    async endLeft(agentId) {
      const place = placeOf(app, agentId)
      if (place) await runtime.endLeft(place.crewId, place.agent)
    },
    forget(chatId) {
      sessions.get(chatId)?.close()
      sessions.delete(chatId)
    },
    async listFiles(agentId, subdir, recursive): Promise<AgentFile[]> {
      const place = placeOf(app, agentId)
      return place ? runtime.listFiles(place.crewId, place.agent, subdir, recursive) : []
    },
    async readFile(agentId, path) {
      const place = placeOf(app, agentId)
      return place ? runtime.readFile(place.crewId, place.agent, path) : null
    },
    async recover() {
      const open = openExecutions(app)
      const waiting = open.filter(({ phase }) => phase === 'queued')
      // Frames that a daemon before this one may have shown are not numbered again.
      await app.write(() => {
        for (const run of waiting) skipFrames(app, run.id, run.first_frame + prologueFrames)
        // A daemon before this one may have come to its end between the deletion of an agent and this.
        for (const { id, agent_id } of open) if (!agentById(app, agent_id)) wishCancel(app, id, null)
      })
      for (const { id } of open) {
        const execution = findExecution(app, id)
        if (execution && execution.phase !== 'parked' && !live.has(id)) begin(execution)
      }
    },
    async close() {
      app.bus.off('entry', onEntry)
      const runs = [...live.values()]
      for (const run of runs) run.detach()
      for (const clear of expiries.values()) clearTimeout(clear)
      await Promise.all(runs.map((run) => run.over))
      for (const session of sessions.values()) session.close()
    },
  }
}
