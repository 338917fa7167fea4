import type { ChatEvent } from '#contract/frames'
import { storageFault } from '#kernel/store/storage-fault'
import { recordSoon, untilWritten } from '#kernel/store/until-written'
import { sessionOfRun } from '../../features/asks/sessions/service.ts'
import { markUsed } from '../../features/credentials/delivery/service.ts'
import { countHanded } from '../../features/credentials/scopes/service.ts'
import { noteUses } from '../../features/memory/rules/service.ts'
import { endRun, settleParking } from '../../features/runs/endings/service.ts'
import { sourceOf } from '../../features/runs/messages/service.ts'
import { markLaunching, markRunning, startOver } from '../../features/runs/programs/service.ts'
import { noteProgram, type Started } from '../../features/runs/receipts/service.ts'
import { findRun, type Run } from '../../features/runs/service.ts'
import { noteUsed } from '../../features/skills/uses/service.ts'
import { placeDecoys } from '../tripwires/files.ts'
import {
  cancelledEarly,
  cancelledInstead,
  endingOf,
  failedEarly,
  lostByRestart,
  parkedOf,
  type Result,
  refused,
} from './ending.ts'
import type { LiveStream } from './live-stream.ts'
import type { Brief, LaunchFacts, RunParts } from './parts.ts'
import { discardPrograms, programOf } from './program.ts'
import { deadlineOf, endProcesses, type Reading, readRun } from './reading.ts'
import { noteCompleted, noteSession, refuseSession } from './sessions.ts'
import { pause, unless } from './waiting.ts'

/** Numbers kept for the frames of a run before its output: a restart begins past them. */
export const prologueFrames = 1000
/** A run that is found lost this soon after a restart was lost because of it. */
const restartMs = 30_000
const retryMs = 2_000
const startTries = 3

/** Carries out one run, from its row to its terminal entry. */
export class LiveRun {
  run: Run
  /**
   * Resolves when the run has its terminal entry, waits for a person without a program, or is left to a later daemon.
   */
  readonly over: Promise<void>
  private readonly parts: RunParts
  private readonly stream: LiveStream
  private readonly cancelled = new AbortController()
  private readonly detached = new AbortController()
  /** Set by what comes first of the two. */
  private readonly stopped = AbortSignal.any([this.cancelled.signal, this.detached.signal])
  private readonly parked = new AbortController()
  private launched: boolean
  private refusal: string | null = null
  private prologue = 0
  private tail: ChatEvent[] = []

  constructor(parts: RunParts, run: Run, stream: LiveStream) {
    this.parts = parts
    this.run = run
    this.stream = stream
    this.launched = this.recovered
    if (run.cancelled_at !== null) this.cancelled.abort()
    if (run.phase === 'parking') this.parked.abort()
    this.over = this.carryOut().catch((error: Error) => this.giveUp(error))
  }

  /** Ends the run; its row already holds the request to cancel it. */
  cancel(): void {
    this.cancelled.abort()
  }

  /** Ends the run as failed, for this reason. */
  fail(reason: string): void {
    this.refusal ??= this.cancelled.signal.aborted ? null : reason
    this.cancelled.abort()
  }

  /** Ends the program: the run waits for a person, as its row says already. */
  park(): void {
    this.parked.abort()
  }

  /** Leaves the run to a later daemon. */
  detach(): void {
    this.detached.abort()
  }

  /** Tells the chat what the run waits for, until its program is started. */
  note(text: string): void {
    if (!this.launched) this.say({ type: 'status', content: text })
  }

  /** Tells the chat how far the crew's image is, until the run's program is started. */
  noteImage(text: string, crew_slug: string, status: string): void {
    if (!this.launched)
      this.say({
        type: 'crew_provisioning',
        content: text,
        metadata: { crew_id: this.run.crew_id, crew_slug, status },
      })
  }

  /** Tells the chat of the stored end, before anything that is stored after it. */
  sayFarewell(): void {
    for (const event of this.tail) this.stream.push(event)
    this.tail = []
    this.stream.end()
  }

  /** An earlier daemon started the program, or was about to. */
  private get recovered(): boolean {
    return this.run.phase !== 'queued'
  }

  private say(event: ChatEvent): void {
    // The last of the kept numbers are for what tells of the end.
    if (!this.launched && ++this.prologue > prologueFrames - 10) return
    this.stream.push(event)
  }

  private async carryOut(): Promise<void> {
    const asked = sourceOf(this.parts.app, this.run).prompt(this.parts.app, this.run)
    this.stream.begin(this.firstFrame(asked?.shown ? 2 : 1))
    if (asked?.shown) this.say(asked.shown)
    const leave = await this.enter()
    if (this.detached.signal.aborted) return leave?.()
    try {
      let result = leave ? await this.work() : cancelledEarly
      if (result && (await this.startsOver(result))) result = await this.work()
      if (result) await this.settle(this.refusal ? refused(result, this.refusal) : result)
    } finally {
      leave?.()
    }
  }

  /**
   * Of a run that was launched before: as many numbers before its output as frames come first, so that none is missing.
   */
  private firstFrame(opening: number): number {
    const { first_frame, output_frame } = this.run
    return output_frame === null ? first_frame : Math.max(first_frame, output_frame - opening)
  }

  /** Waits for a place among the runs that go on at once; null when the run was stopped first. */
  private enter(): Promise<(() => void) | null> {
    const { slots } = this.parts
    if (this.recovered) return Promise.resolve(slots.force())
    if (!slots.free)
      this.note(slots.line > 0 ? `Waiting for a free place; ${slots.line} before this one` : 'Waiting for a free place')
    return slots.take(this.stopped)
  }

  /** Null when the run is left to a later daemon. */
  private async work(): Promise<Result | null> {
    let brief: Brief | null = null
    try {
      if (this.recovered) return await this.goOn(JSON.parse(this.run.launch_json!) as LaunchFacts)
      const full = await this.parts.room(this.run.crew_id, (why) => this.note(why), this.stopped)
      if (full) return refused(cancelledEarly, full)
      this.note('Preparing the crew')
      await unless(this.stopped, () => this.parts.ready(this.run.crew_id))
      if (this.detached.signal.aborted) return null
      if (this.cancelled.signal.aborted) return cancelledEarly
      brief = this.parts.brief(this.run)
      return await this.launch(brief)
    } catch (error) {
      if (this.detached.signal.aborted) return null
      if (!this.launched && storageFault(error)) return this.workLater(error)
      this.parts.app.log.warn({ err: error, run: this.run.id }, 'A run failed to start')
      // The start may have failed in our eyes only.
      if (brief && this.launched) await endProcesses(this.reading(brief.facts))
      return failedEarly(error, brief && this.launched ? brief.facts : null)
    }
  }

  /** Nothing is started while the disk refuses: what came of it could not be kept. */
  private async workLater(error: unknown): Promise<Result | null> {
    const { storage } = this.parts.app
    storage.failed(error)
    this.note('Waiting for the disk of the server, which takes no data now')
    await storage.working(this.stopped)
    return this.work()
  }

  private async launch({
    spec,
    facts,
    started,
    learned,
    overflow,
    credentialIds,
    handedIds,
    lost,
  }: Brief): Promise<Result | null> {
    const { app, runtime } = this.parts
    this.note('Starting the agent')
    this.launched = true
    const launch = { frame: this.stream.lastSeq + 1, facts: { ...facts }, command: facts.command, overflow }
    const { id: run_id, agent_id } = this.run
    const stored = app.write(() => {
      if (!markLaunching(app, run_id, launch)) return false
      noteSession(app, this.run, facts, lost)
      noteProgram(app, this.run, started)
      noteUses(app, run_id, learned, app.now())
      markUsed(app, credentialIds, { agent_id, run_id })
      countHanded(app, handedIds)
      return true
    })
    const launches = await stored.catch((error) => {
      this.launched = false
      throw error
    })
    if (!launches) throw new Error('The run does not wait any more')
    const launchedAt = app.steady()
    await placeDecoys(app, runtime, this.run.crew_id, facts.agent)
    await unless(this.detached.signal, () => runtime.startRun(spec))
    if (this.detached.signal.aborted) return null
    this.noteRunning()
    return readRun(this.reading(facts), launchedAt)
  }

  /** Finds a run again that another daemon had started, or was about to. */
  private async goOn(facts: LaunchFacts): Promise<Result | null> {
    const { app, runtime } = this.parts
    const since = app.steady()
    // A clock that was set back while no daemon ran gives no run more time than it had.
    const launchedAt = Math.min(since, this.run.launched_at ?? since)
    this.stream.skipTo(this.run.output_frame!)
    await this.reach(deadlineOf(launchedAt, facts))
    if (this.run.phase === 'launching' && !this.stopped.aborted) {
      // A run id starts once: where it had started this is refused, and following finds it.
      await this.startAgain()
      if (this.detached.signal.aborted) return null
    }
    let result = await readRun(this.reading(facts), launchedAt)
    const launching = this.run.phase === 'launching'
    for (let tries = 0; launching && tries < startTries && result?.lost?.never && !this.stopped.aborted; tries++) {
      // The other daemon died while it handed the program over.
      await runtime.discardRun(programOf(this.run, facts))
      await this.startAgain()
      result = await readRun(this.reading(facts), launchedAt)
    }
    const byRestart = result?.lost && result.verdict.status === 'failed' && app.steady() - since < restartMs
    return byRestart && result ? lostByRestart(result) : result
  }

  /** A run id starts once: where it had started this is refused, and following finds it. */
  private async startAgain(): Promise<void> {
    const { app, runtime } = this.parts
    let started: Started
    try {
      const brief = this.parts.brief(this.run)
      started = brief.started
      await unless(this.stopped, () => runtime.startRun(brief.spec))
    } catch (error) {
      app.log.info({ err: error, run: this.run.id }, 'Not started again')
      return
    }
    if (this.stopped.aborted) return
    recordSoon(app, 'what a run was started with', () => noteProgram(app, this.run, started))
    this.noteRunning()
  }

  /**
   * What the agent prints is read meanwhile: until this is stored, a restart would try to start it again and be
   * refused.
   */
  private noteRunning(): void {
    const { app } = this.parts
    recordSoon(app, 'that a run has started', () => markRunning(app, this.run.id))
  }

  /** Tries to reach the run's crew until that works, there is none to reach, or the time is over. */
  private async reach(deadline: number): Promise<void> {
    const { app, ready, goneFor } = this.parts
    const { crew_id, id } = this.run
    while (!this.stopped.aborted && !goneFor(crew_id) && app.steady() < deadline) {
      try {
        return void (await unless(this.stopped, () => ready(crew_id)))
      } catch (error) {
        app.log.warn({ err: error, run: id }, 'The crew of a run cannot be reached yet')
      }
      await pause(retryMs, this.stopped)
    }
  }

  private reading(facts: LaunchFacts): Reading {
    const { parts, run, stream, cancelled, parked, detached } = this
    return {
      parts,
      run,
      facts,
      stream,
      cancelled: cancelled.signal,
      parked: parked.signal,
      detached: detached.signal,
    }
  }

  /** The client has lost its session: the run is started once more, with what the chat knows. */
  private async startsOver({ facts, verdict, told }: Result): Promise<boolean> {
    if (!facts?.session?.resumed || verdict.kind !== 'resume_missing' || told?.parts.length || this.stopped.aborted)
      return false
    const { app } = this.parts
    const again = await this.store(() => {
      const run = startOver(app, this.run.id, this.stream.lastSeq + 1)
      if (run && facts.session?.client) refuseSession(app, run)
      return run
    })
    if (again) this.run = again
    return again !== undefined
  }

  /** Ends the run, or leaves it to wait for a person. */
  private async settle(result: Result): Promise<void> {
    const ended = this.parked.signal.aborted ? false : await this.finish(result)
    if (ended || (await this.leaveParked(result))) return
    if (this.parked.signal.aborted) await this.finish(cancelledInstead(result))
  }

  /** False when the run waits for nobody, or is to be cancelled. */
  private async leaveParked(result: Result): Promise<boolean> {
    const { app } = this.parts
    const asked = sessionOfRun(app, this.run.id)
    if (!asked) return false
    const { parked, tail } = parkedOf(this.run, result, asked, this.stream.lastSeq)
    if (!(await this.store(() => settleParking(app, this.run.id, parked)))) return false
    for (const event of tail) this.stream.push(event)
    this.stream.end()
    return true
  }

  private async finish(result: Result): Promise<boolean> {
    const { app, runtime } = this.parts
    const { id } = this.run
    const ended = await this.store(() => {
      // This may have waited for the disk: a cancel that was accepted meanwhile has its effect.
      const wished = typeof findRun(app, id)?.cancelled_at === 'number'
      const { ending, tail } = endingOf(this.run, wished ? cancelledInstead(result) : result, this.stream.lastSeq)
      this.tail = tail
      const over = endRun(app, id, ending)
      if (over && result.told) noteUsed(app, this.run, result.told.parts)
      if (over && ending.outcome === 'COMPLETED') noteCompleted(app, this.run, result)
      return over
    })
    if (!ended) this.tail = []
    else if (result.facts) await discardPrograms(app, runtime, this.run, result.facts)
    return ended
  }

  /**
   * However long the disk refuses; a daemon that stops leaves it to the next one, which finds the run as it is in the
   * database.
   */
  private store<T>(change: () => T): Promise<T> {
    return untilWritten(this.parts.app, change, this.detached.signal)
  }

  /** Ends a run that a fault of ours keeps from its end with as little as can be said of it. */
  private async giveUp(error: Error): Promise<void> {
    const { log } = this.parts.app
    const about = { err: error, run: this.run.id }
    if (this.detached.signal.aborted) return log.info(about, 'A run is left to the next daemon')
    log.error(about, 'A run could not be ended as it should')
    await this.finish(failedEarly(error, null)).catch((again: Error) =>
      log.error({ ...about, err: again }, 'A run could not be ended'),
    )
  }
}
