import type { App } from '#kernel/app'
import type { Recorded } from '#kernel/journal/journal'
import { problem } from '#kernel/problem'
import type { AgentFile, Runs, Watch, Watcher } from '#kernel/runs'
import { agentById } from '../../features/agents/service.ts'
import { crewsOfGone } from '../../features/chats/sessions/service.ts'
import { desiredCrew } from '../../features/crews/containers/service.ts'
import { placeOf } from '../../features/crews/places/service.ts'
import { leftRuns, skipFrames } from '../../features/runs/programs/service.ts'
import { findRun, lastFrameOf, openRuns, type Run, streamOf, workingOfAgent } from '../../features/runs/service.ts'
import { shellsOfAgent } from '../../features/shells/service.ts'
import { adapterOf } from '../adapters/index.ts'
import { gitLog, listHome, type Place, readTextAs, saveAgentFile } from '../agent-files.ts'
import type { Runtime } from '../types.ts'
import { briefRun } from './brief.ts'
import { createCrewAccess } from './crew-access.ts'
import { command, deliver, withdraw } from './deliveries.ts'
import { LiveRun, prologueFrames } from './live-run.ts'
import { LiveStream } from './live-stream.ts'
import type { LaunchFacts, RunParts } from './parts.ts'
import { discardPrograms, programIds } from './program.ts'
import { createRemains } from './remains.ts'
import { secretsOf } from './secrets.ts'
import { discardSessions } from './sessions.ts'
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

/** What runs need of crews. */
export type CrewAccess = Pick<RunParts, 'ready' | 'goneFor'>

/** Carries out the runs of agents: a journal entry starts one, a stored request cancels it. */
export function createRuns(app: App, runtime: Runtime, crewAccess: CrewAccess = createCrewAccess(app)): RunService {
  const parts: RunParts = {
    ...crewAccess,
    app,
    runtime,
    slots: new Slots(app.config.maxConcurrentRuns),
    ready: readyAndTidy,
    adapterOf,
    room: async (crewId, waiting, signal) => {
      await app.marks.released(crewId, waiting, signal)
      return app.disk.room(crewId, waiting, signal)
    },
    brief: (run) => briefRun({ app, runtime, adapterOf }, run),
    secretsOf: (run) => secretsOf(app, run),
  }
  const remains = createRemains(app, runtime)
  const live = new Map<string, LiveRun>()
  const streams = new Map<string, LiveStream>()
  const expiries = new Map<string, NodeJS.Timeout>()

  function openStream(name: string): LiveStream {
    const known = streams.get(name)
    if (known) return known
    const made = new LiveStream(lastFrameOf(app, name))
    streams.set(name, made)
    return made
  }

  /** A run that has said its farewell tidies up for a moment more; only then its frames begin to age. */
  const hasLive = (name: string): boolean => [...live.values()].some(({ run }) => streamOf(run) === name)

  /** Forgets a stream that nobody needs. */
  function tidy(name: string): void {
    const stream = streams.get(name)
    if (stream && !stream.watched && !expiries.has(name) && !hasLive(name)) streams.delete(name)
  }

  function begin(run: Run): void {
    const name = streamOf(run)
    clearTimeout(expiries.get(name))
    expiries.delete(name)
    const begun = new LiveRun(parts, run, openStream(name))
    live.set(run.id, begun)
    void begun.over.then(() => {
      live.delete(run.id)
      if (streams.get(name)?.active) return
      const clear = setTimeout(() => {
        expiries.delete(name)
        streams.get(name)?.clear()
        tidy(name)
      }, replayMs)
      clear.unref()
      expiries.set(name, clear)
    })
  }

  async function readyAndTidy(crewId: string): Promise<void> {
    await crewAccess.ready(crewId)
    await app.disk.begun(crewId)
    for (const run of leftRuns(app, crewId)) discard(run)
    void discardSessions(app, runtime, crewId)
  }

  const discard = (run: Run): void =>
    void discardPrograms(app, runtime, run, JSON.parse(run.launch_json!) as LaunchFacts)

  /** Begins what waits for its place; what is still being parked goes on once it is. */
  function resume(id: string): void {
    const before = live.get(id)
    if (before) return void before.over.then(() => resume(id))
    const run = findRun(app, id)
    if (run?.phase === 'queued') begin(run)
  }

  /** The end of a run: of one that waited for a person only its spools are left. */
  function end(id: string): void {
    const going = live.get(id)
    const run = going ? null : findRun(app, id)
    if (run?.launch_json) discard(run)
    going?.sayFarewell()
    remains.ended(id)
  }

  function onEntry({ entry }: Recorded): void {
    const { entry_type, trace_id, crew_id } = entry
    if (entry_type === 'run.started' && trace_id) {
      const run = findRun(app, trace_id)
      if (run?.phase === 'queued' && !live.has(trace_id)) begin(run)
    } else if (entry_type === 'exec.command' && trace_id && entry.payload?.['phase'] === 'start') {
      remains.started(trace_id)
    } else if (entry_type === 'run.parked' && trace_id) {
      live.get(trace_id)?.park()
    } else if (entry_type === 'run.resumed' && trace_id) {
      resume(trace_id)
    } else if (trace_id && terminals.has(entry_type)) {
      end(trace_id)
    } else if (entry_type.startsWith('provisioning.') && crew_id) {
      tellProgress(crew_id, entry.entry_type.slice('provisioning.'.length), entry.summary)
    }
  }

  /** Runs that wait for a crew say how it comes up. */
  function tellProgress(crewId: string, what: string, text: string): void {
    const slug = desiredCrew(app, crewId)?.spec.slug ?? ''
    for (const going of live.values()) {
      if (going.run.crew_id !== crewId) continue
      if (what === 'step') going.note(text)
      else going.noteImage(text, slug, what)
    }
  }

  function located(agentId: string): Place {
    const place = placeOf(app, agentId)
    if (!place) throw problem('not_found', { detail: 'The agent has no crew' })
    return place
  }

  app.bus.on('entry', onEntry)
  runtime.onOpenRuns((agentId) => [
    ...workingOfAgent(app, agentId).map((run) => programIds(run).at(-1)!),
    ...shellsOfAgent(app, agentId),
  ])

  return {
    available: true,
    watch(name: string, after: number | null, watcher: Watcher): Watch {
      const stream = openStream(name)
      const watch = stream.watch(after ?? stream.lastSeq, watcher)
      return {
        ...watch,
        close() {
          watch.close()
          tidy(name)
        },
      }
    },
    isWatched: (name, user) => streams.get(name)?.isWatchedBy(user) ?? false,
    get full() {
      return !parts.slots.free
    },
    cancel: (runId) => live.get(runId)?.cancel(),
    fail: (runId, reason) => live.get(runId)?.fail(reason),
    steers(runId) {
      const run = findRun(app, runId)
      const started = run?.launch_json ? (JSON.parse(run.launch_json) as LaunchFacts).adapter : undefined
      const name = started ?? (run && agentById(app, run.agent_id)?.cli_adapter)
      return name !== undefined && adapterOf(name)?.can.steer === true
    },
    ended: async (runId) => live.get(runId)?.over,
    settled: (runId) => remains.settled(runId),
    async endLeft(agentId) {
      const place = placeOf(app, agentId)
      if (place) await runtime.endLeft(place.crewId, place.agent)
    },
    forget(name) {
      streams.get(name)?.close()
      streams.delete(name)
      for (const crewId of crewsOfGone(app, name)) void discardSessions(app, runtime, crewId)
    },
    async listFiles(agentId, subdir, recursive): Promise<AgentFile[]> {
      const place = placeOf(app, agentId)
      return place ? runtime.listFiles(place.crewId, place.agent, subdir, recursive) : []
    },
    async readFile(agentId, path) {
      const place = placeOf(app, agentId)
      return place ? runtime.readFile(place.crewId, place.agent, path) : null
    },
    foldersOf(agentId) {
      const place = placeOf(app, agentId)
      return place ? runtime.places(place.crewId, place.agent) : null
    },
    readText: async (agentId, path, mostBytes) => readTextAs(runtime, located(agentId), path, mostBytes),
    saveFile: async (agentId, path, content, conditions) =>
      saveAgentFile(runtime, located(agentId), path, content, conditions),
    listHome: async (agentId, subdir) => listHome(runtime, located(agentId), subdir),
    gitLog: async (agentId, patch) => gitLog(runtime, located(agentId), patch),
    deliver: (agentId, file) => deliver(app, runtime, agentId, file),
    command: (agentId, program) => command(app, runtime, agentId, program),
    withdraw: (agentId, folder) => withdraw(app, runtime, agentId, folder),
    async recover() {
      const open = openRuns(app)
      const waiting = open.filter(({ phase }) => phase === 'queued')
      // Frames that a daemon before this one may have shown are not numbered again.
      await app.write(() => {
        for (const run of waiting) skipFrames(app, run.id, run.first_frame + prologueFrames)
      })
      for (const { id } of open) {
        const run = findRun(app, id)
        if (run && run.phase !== 'parked' && !live.has(id)) begin(run)
      }
    },
    async close() {
      app.bus.off('entry', onEntry)
      const runs = [...live.values()]
      for (const run of runs) run.detach()
      for (const clear of expiries.values()) clearTimeout(clear)
      await Promise.all(runs.map((run) => run.over))
      await remains.close()
      for (const stream of streams.values()) stream.close()
    },
  }
}
