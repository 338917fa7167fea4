import { createHash } from 'node:crypto'
import type { Duplex } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import type { Recorded } from '#kernel/journal/journal'
import { recordSoon } from '#kernel/store/until-written'
import { openRewindOf } from '../features/checkpoints/rewinds/service.ts'
import {
  type DesiredCrew,
  desiredCrew,
  desiredCrews,
  markSeen,
  type Seen,
  use,
} from '../features/crews/containers/service.ts'
import { createInstalled } from './installed.ts'
import { plan, type Step } from './plan.ts'
import { Semaphore } from './semaphore.ts'
import type { ContainerStatus, RuntimeCondition, RuntimeService } from './service-types.ts'
import { runtimeProblem, statusOf, unknownStatus } from './status.ts'
import { type Doing, type StepParts, seenOf, steps } from './steps.ts'
import type { ObservedCrew, ServerProcess, ServerProgram } from './types.ts'

/** How often everything is looked at, whatever was heard meanwhile. */
const roundMs = 60_000
/** How long turns that are going on may take at shutdown. */
const patienceMs = 5000
const firstRetryMs = 1000
const longestRetryMs = 60_000
/** Containers that are brought up at the same time. */
const startsAtOnce = 4
/** Steps in a row after which a crew counts as one that does not settle. */
const mostSteps = 8
const uses = new Set(['run.completed', 'run.failed', 'run.cancelled', 'run.timeout', 'network.port_closed'])

/** What is remembered about a crew between two checks. */
interface TrackedCrew {
  turn: Promise<void> | null
  /** Somebody asked during a turn: the turn has to check once more. */
  again: boolean
  failures: number
  retryAt: number
  error: Error | null
  /** The container that the daemon is connected to, and the configuration that its sidecar has. */
  joined: { containerId: string; config: string } | null
  wake: NodeJS.Timeout | null
  /** As it was when the last turn ended. */
  last: ObservedCrew | null
}

/**
 * Brings every crew's container to its desired state. Checks when that state or the journal changes, when the engine
 * reports a change, and periodically; one crew's turns follow each other, so that a slow start delays no other crew.
 */
export class Reconciler implements RuntimeService {
  readonly #parts: StepParts
  readonly #crews = new Map<string, TrackedCrew>()
  readonly #starts = new Semaphore(startsAtOnce)
  readonly adapters: RuntimeService['adapters']
  #clock: NodeJS.Timeout | null = null
  #soon = new Set<string>()
  #soonTimer: NodeJS.Immediate | null = null
  #closed = false

  constructor(parts: StepParts) {
    this.#parts = parts
    this.adapters = createInstalled(parts.app, parts.runtime)
  }

  /** Starts. Existing containers are adopted, repaired or removed first; a missing engine is tried again. */
  async open(): Promise<void> {
    const { app, runtime } = this.#parts
    app.bus.on('entry', this.#onEntry)
    runtime.onChange((crewId) => this.look(crewId))
    this.#clock = setInterval(() => void this.round(), roundMs).unref()
    await this.round()
  }

  async close(): Promise<void> {
    this.#closed = true
    this.#parts.app.bus.off('entry', this.#onEntry)
    if (this.#clock) clearInterval(this.#clock)
    if (this.#soonTimer) clearImmediate(this.#soonTimer)
    for (const tracked of this.#crews.values()) if (tracked.wake) clearTimeout(tracked.wake)
    // What is half done is finished when that is quick; the next daemon finishes the rest.
    const turns = Promise.allSettled([...this.#crews.values()].map(({ turn }) => turn))
    const patience = new AbortController()
    await Promise.race([turns, delay(patienceMs, undefined, { signal: patience.signal }).catch(() => undefined)])
    patience.abort()
  }

  /** Looks at a crew soon; asked for many times at once, it looks once. */
  look(crewId: string): void {
    this.#soon.add(crewId)
    this.#soonTimer ??= setImmediate(() => {
      this.#soonTimer = null
      const crews = [...this.#soon]
      this.#soon.clear()
      for (const it of crews) void this.#turn(it).catch(() => {})
    })
  }

  /** Compares all desired crews with all observed ones. */
  async round(): Promise<void> {
    const { app, runtime } = this.#parts
    try {
      const observed = new Map((await runtime.observe()).map((it) => [it.crewId, it]))
      const desired = new Map(desiredCrews(app).map((it) => [it.crewId, it]))
      const crews = new Set([...observed.keys(), ...desired.keys()])
      for (const crewId of crews) {
        const [wish, found] = [desired.get(crewId) ?? null, observed.get(crewId) ?? null]
        if (this.#hasToDo(crewId, wish, found)) this.look(crewId)
      }
    } catch (error) {
      if (!this.#closed) app.log.warn({ err: error }, 'The container engine could not be looked at')
    }
  }

  /** What cannot be told here is told by the crew's own turn. */
  #hasToDo(crewId: string, desired: DesiredCrew | null, observed: ObservedCrew | null): boolean {
    try {
      return this.#step(crewId, desired, observed, this.#configOf(desired)).do !== 'wait' || differs(desired, observed)
    } catch {
      return true
    }
  }

  start(crewId: string): Promise<ContainerStatus> {
    return this.#now(crewId)
  }

  stop(crewId: string): Promise<ContainerStatus> {
    return this.#now(crewId)
  }

  async status(crewId: string): Promise<ContainerStatus> {
    try {
      const [observed = null] = await this.#parts.runtime.observe(crewId)
      return this.#statusOf(crewId, observed)
    } catch (error) {
      return unknownStatus(error as Error)
    }
  }

  #statusOf(crewId: string, observed: ObservedCrew | null): ContainerStatus {
    const tracked = this.#crews.get(crewId)
    return statusOf(this.#parts, crewId, observed, { busy: Boolean(tracked?.turn), error: tracked?.error ?? null })
  }

  logs(crewId: string, tail: number): Promise<string> {
    return this.#parts.runtime.logs(crewId, tail).catch((error) => {
      throw runtimeProblem(error)
    })
  }

  connect(crewId: string, port: number): Promise<Duplex> {
    return this.#parts.runtime.connect(crewId, port)
  }

  startServer(crewId: string, program: ServerProgram): Promise<ServerProcess> {
    return this.#parts.runtime.startServer(crewId, program)
  }

  hasImage(image: string): Promise<boolean | null> {
    return this.#parts.runtime.hasImage(image)
  }

  async condition(): Promise<RuntimeCondition> {
    const { app, runtime } = this.#parts
    const engine = await runtime.ping()
    const owned = desiredCrews(app)
    const { runtimeImage, sidecarImage } = app.config
    const names =
      runtime.kind === 'docker'
        ? [...new Set([runtimeImage, sidecarImage, ...owned.map(({ spec }) => spec.image).filter(Boolean)])]
        : []
    const images = await Promise.all(names.map(async (name) => ({ name, here: await runtime.hasImage(name) })))
    const crews = new Set(owned.map(({ crewId }) => crewId))
    const orphans = (await runtime.belongings().catch(() => [])).filter(({ crewId, own }) => !own || !crews.has(crewId))
    return { kind: runtime.kind, engine, images, orphans }
  }

  /** Does what there is to do at once, failures before or not. */
  async #now(crewId: string): Promise<ContainerStatus> {
    this.#tracked(crewId).retryAt = 0
    try {
      await this.#turn(crewId)
      return this.#statusOf(crewId, this.#crews.get(crewId)?.last ?? null)
    } catch (error) {
      throw runtimeProblem(error)
    }
  }

  readonly #onEntry = ({ entry }: Recorded): void => {
    const { entry_type, crew_id, payload } = entry
    const type = payload?.['entity_type']
    if (entry_type.startsWith('audit.entity_') && type === 'crew') this.look(String(payload?.['entity_id']))
    else if (entry_type.startsWith('audit.entity_') && type === 'agent' && crew_id) this.look(crew_id)
    else if (uses.has(entry_type) && crew_id) this.#noteUse(crew_id)
    else if (entry_type.startsWith('tripwire.') && crew_id) this.look(crew_id)
    else if (entry_type.startsWith('credential.') || String(type).includes('credential')) this.#lookAtRunning()
  }

  /** Idle time counts from the end of the last run, or of the last port that was open. */
  #noteUse(crewId: string): void {
    recordSoon(this.#parts.app, 'the use of a crew', () => use(this.#parts.app, crewId))
    this.look(crewId)
  }

  #lookAtRunning(): void {
    for (const [crewId, { joined }] of this.#crews) if (joined) this.look(crewId)
  }

  #tracked(crewId: string): TrackedCrew {
    const known = this.#crews.get(crewId)
    if (known) return known
    const tracked: TrackedCrew = {
      turn: null,
      again: false,
      failures: 0,
      retryAt: 0,
      error: null,
      joined: null,
      wake: null,
      last: null,
    }
    this.#crews.set(crewId, tracked)
    return tracked
  }

  /** Resolves when the crew is settled; rejects with what kept it from that. */
  #turn(crewId: string): Promise<void> {
    const tracked = this.#tracked(crewId)
    if (tracked.turn) {
      tracked.again = true
      return tracked.turn
    }
    if (this.#closed) return Promise.resolve()
    if (tracked.retryAt > this.#parts.app.steady()) return Promise.reject(tracked.error)
    const turn = this.#settle(crewId, tracked).then(
      () => this.#settled(crewId, tracked),
      (error: Error) => this.#failed(crewId, tracked, error),
    )
    tracked.turn = turn
    return turn
  }

  async #settle(crewId: string, tracked: TrackedCrew): Promise<void> {
    const { app, runtime } = this.#parts
    let [taken, before] = [0, '']
    for (;;) {
      tracked.again = false
      const [observed = null] = await runtime.observe(crewId)
      const desired = desiredCrew(app, crewId)
      const config = this.#configOf(desired)
      const wish = JSON.stringify([desired?.want, desired?.spec, config])
      // Agents that come one after the other are no reason to give up.
      if (wish !== before) [taken, before] = [0, wish]
      const step = this.#step(crewId, desired, observed, config)
      if (step.do === 'wait') {
        await this.#see(crewId, desired, seenOf(observed, null))
        if (tracked.again) continue
        // Whoever asks from here on gets a new turn.
        tracked.turn = null
        tracked.last = observed
        this.#wakeIn(crewId, tracked, step.until === undefined ? undefined : step.until - app.clock())
        return
      }
      if (taken++ === mostSteps) throw new Error('The crew does not settle: its container is never as it should be')
      await this.#take(step, { crewId, desired, observed }, config)
    }
  }

  async #take(step: Step, crew: Doing, config: string): Promise<void> {
    const { app, runtime } = this.#parts
    app.log.debug({ crew: crew.crewId, step: step.do }, 'Reconciling')
    const joins = step.do === 'bring_up' || step.do === 'connect'
    const work = () => steps[step.do](this.#parts, crew)
    await (step.do === 'bring_up' ? this.#starts.run(work) : work())
    const [now] = joins ? await runtime.observe(crew.crewId) : []
    this.#tracked(crew.crewId).joined = now ? { containerId: now.containerId, config } : null
  }

  #step(crewId: string, desired: DesiredCrew | null, observed: ObservedCrew | null, config: string): Step {
    const { app, isLive } = this.#parts
    const joined = this.#crews.get(crewId)?.joined
    const connected = Boolean(observed && joined?.containerId === observed.containerId && joined.config === config)
    const held = openRewindOf(app, crewId) !== undefined
    return plan(desired, observed, { now: app.clock(), live: isLive(crewId), held, connected })
  }

  /** Digest of the sidecar's configuration and the agents' folders: what a running crew has to be told of. */
  #configOf(desired: DesiredCrew | null): string {
    if (!desired) return ''
    return createHash('sha256')
      .update(JSON.stringify([this.#parts.sidecarConfig(desired), desired.spec.agents]))
      .digest('base64')
  }

  async #see(crewId: string, desired: DesiredCrew | null, seen: Seen): Promise<void> {
    const { app } = this.#parts
    if (!desired || this.#closed || JSON.stringify(desired.seen) === JSON.stringify(seen)) return
    await app.write(() => markSeen(app, crewId, seen))
  }

  #wakeIn(crewId: string, tracked: TrackedCrew, ms: number | undefined): void {
    if (tracked.wake) clearTimeout(tracked.wake)
    tracked.wake =
      ms === undefined ? null : setTimeout(() => this.look(crewId), Math.min(Math.max(0, ms), 2 ** 31 - 1)).unref()
  }

  #settled(crewId: string, tracked: TrackedCrew): void {
    tracked.failures = 0
    tracked.error = null
    if (!this.#closed && !tracked.turn && !desiredCrew(this.#parts.app, crewId)) this.#crews.delete(crewId)
  }

  async #failed(crewId: string, tracked: TrackedCrew, error: Error): Promise<never> {
    const { app, runtime } = this.#parts
    tracked.error = error
    tracked.retryAt = app.steady() + Math.min(longestRetryMs, firstRetryMs * 2 ** tracked.failures++)
    tracked.joined = null
    app.log.warn({ err: error, crew: crewId }, 'A crew could not be brought to what is wished')
    // Stores what the engine reports now, if it answers, with the reason of the failure.
    const [observed = null] = await runtime.observe(crewId).catch(() => [])
    const desired = desiredCrew(app, crewId)
    await this.#see(crewId, desired, seenOf(observed, error.message)).catch((again: Error) =>
      app.log.error({ err: again }, 'A failure could not be stored'),
    )
    tracked.turn = null
    if (!this.#closed) this.#wakeIn(crewId, tracked, tracked.retryAt - app.steady())
    throw error
  }
}

function differs(desired: DesiredCrew | null, observed: ObservedCrew | null): boolean {
  return desired !== null && JSON.stringify(desired.seen) !== JSON.stringify(seenOf(observed, null))
}
