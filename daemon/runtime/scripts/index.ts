import type { App } from '#kernel/app'
import { newId } from '#kernel/ids'
import type { Recorded } from '#kernel/journal/journal'
import type { BegunScript, ScriptEnd, Scripts, ScriptWork } from '#kernel/scripts'
import { recordSoon } from '#kernel/store/until-written'
import { use } from '../../features/crews/containers/service.ts'
import { createCrewAccess } from '../runs/crew-access.ts'
import type { CrewAccess } from '../runs/index.ts'
import { pause, unless } from '../runs/waiting.ts'
import type { AgentSpec, RunRef, Runtime } from '../types.ts'
import { followScript } from './following.ts'
import { specOf } from './spec.ts'
import { ScriptUsers, scriptUser } from './users.ts'

const retryMs = 2000
/** How long the crew of a script that an earlier daemon began is tried to be reached. */
const reachMs = 10 * 60_000

export interface ScriptService extends Scripts {
  /** The users as which scripts of a crew are at work. */
  usersOf(crewId: string): AgentSpec[]
  /** Ends the scripts of a crew; resolves when their ends are stored. */
  endAll(crewId: string, reason: string): Promise<void>
  close(): void
}

interface Live {
  crewId: string
  over: Promise<void>
  stop(reason: string): void
}

/** Runs scripts in crews, as their own users. docs/routines.md, "Scripts". */
export function createScripts(app: App, runtime: Runtime, access: CrewAccess = createCrewAccess(app)): ScriptService {
  const users = new ScriptUsers()
  const live = new Set<Live>()
  const ofCrew = (crewId: string) => [...live].filter((it) => it.crewId === crewId)

  function carryOut(work: ScriptWork): Promise<void> {
    const stop = new AbortController()
    const it: Live = { crewId: work.crewId, over: Promise.resolve(), stop: (reason) => stop.abort(reason) }
    live.add(it)
    it.over = inTurn(work, stop.signal).finally(() => live.delete(it))
    return it.over
  }

  async function inTurn(work: ScriptWork, stop: AbortSignal): Promise<void> {
    const { crewId, begun, cancelled, detached } = work
    const ended = AbortSignal.any([cancelled, stop])
    const stopped = AbortSignal.any([ended, detached])
    const slot = begun ? users.keep(crewId, begun.slot) : await users.take(crewId, stopped)
    try {
      const end = slot === null ? null : await play(work, slot, ended, stopped)
      if (detached.aborted) return
      const reason = stop.aborted ? String(stop.reason) : 'It was cancelled'
      await work.ended(ended.aborted ? { kind: 'stopped', reason } : end!)
      if (slot === null) return
      recordSoon(app, 'the use of a crew', () => use(app, crewId))
      await runtime.clear(crewId, scriptUser(crewId, slot), { data: true }).catch((error: Error) => {
        app.log.warn({ err: error, crew: crewId }, 'What a script left is removed before the next one')
      })
    } finally {
      if (slot !== null) users.free(crewId, slot)
    }
  }

  /** Null when it was stopped. */
  async function play(
    { crewId, begun, mostBytes: most, prepare, begins }: ScriptWork,
    slot: number,
    ended: AbortSignal,
    stopped: AbortSignal,
  ): Promise<ScriptEnd | null> {
    const user = scriptUser(crewId, slot)
    const refOf = ({ program }: BegunScript): RunRef => ({ crewId, runId: program, agent: user })
    const follow = (one: BegunScript) =>
      followScript(runtime, refOf(one), { most, ended, stopped, reach: () => reach(crewId, stopped) })
    try {
      if (begun) {
        const away = await reach(crewId, stopped)
        if (away) return { kind: 'lost', reason: away }
        const end = await follow(begun)
        // The daemon before this one died while it handed the script over.
        if (end?.kind !== 'never') return end
      }
      const full = await room(crewId, stopped)
      if (full) return { kind: 'never', reason: full }
      await unless(stopped, () => access.ready(crewId))
      if (stopped.aborted) return null
      await app.disk.begun(crewId)
      await runtime.clear(crewId, user, { data: true })
      const script = await prepare()
      const one = { program: newId(app.clock()), slot }
      if (stopped.aborted || !(await begins(one))) return { kind: 'never', reason: 'The step is over' }
      if (stopped.aborted) return null
      const spec = specOf(crewId, user, runtime.places(crewId, user), one, script)
      // A start may fail in our eyes only: what is followed says whether it did.
      const failure = await runtime.startRun(spec).then(
        () => null,
        (error: Error) => error,
      )
      const end = await follow(one)
      return failure && end && (end.kind === 'never' || end.kind === 'lost') ? { ...end, reason: failure.message } : end
    } catch (error) {
      return { kind: 'never', reason: (error as Error).message }
    }
  }

  async function room(crewId: string, stopped: AbortSignal): Promise<string | null> {
    await app.marks.released(crewId, () => undefined, stopped)
    return app.disk.room(crewId, () => undefined, stopped)
  }

  /** Why a crew cannot be reached; null once it can, or when that is no longer wanted. */
  async function reach(crewId: string, stopped: AbortSignal): Promise<string | null> {
    for (const since = app.steady(); !stopped.aborted; await pause(retryMs, stopped)) {
      const gone = access.goneFor(crewId)
      if (gone) return gone
      try {
        await unless(stopped, () => access.ready(crewId))
        return null
      } catch (error) {
        if (app.steady() - since > reachMs) return (error as Error).message
      }
    }
    return null
  }

  async function endAll(crewId: string, reason: string): Promise<void> {
    const going = ofCrew(crewId)
    for (const it of going) it.stop(reason)
    await Promise.all(going.map(({ over }) => over))
  }

  const onEntry = ({ entry: { entry_type, payload } }: Recorded): void => {
    if (entry_type === 'audit.entity_deleted' && payload?.['entity_type'] === 'crew')
      void endAll(String(payload['entity_id']), 'The crew was deleted').catch(() => undefined)
  }
  app.bus.on('entry', onEntry)

  return {
    carryOut,
    isLive: (crewId) => ofCrew(crewId).length > 0,
    usersOf: (crewId) => users.taken(crewId).map((slot) => scriptUser(crewId, slot)),
    endAll,
    close: () => void app.bus.off('entry', onEntry),
  }
}
