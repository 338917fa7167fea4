import type { AgentFrame } from '#contract/frames'
import { recordSoon } from '#kernel/store/until-written'
import { isShowing } from '../../features/ports/service.ts'
import { addUsage, usedBefore } from '../../features/runs/endings/service.ts'
import { noteSession } from '../../features/runs/programs/service.ts'
import type { Run } from '../../features/runs/service.ts'
import { type Adapter, type Parser, type Started, turnCap } from '../adapters/adapter.ts'
import { createParser } from '../adapters/parser.ts'
import { judge } from '../adapters/verdict.ts'
import type { RunEnd } from '../types.ts'
import { priced } from './cost.ts'
import type { Result } from './ending.ts'
import type { LiveStream } from './live-stream.ts'
import { OutputReader } from './output.ts'
import type { LaunchFacts, RunParts } from './parts.ts'
import { programOf, turnsOf } from './program.ts'
import { createTranscript } from './transcript.ts'
import { pause } from './waiting.ts'

/** Frames handled before the event loop turns: no more than any stream can take at once. */
const frameBatch = 32
/** Past the run's own time limit, which is enforced beside the program. */
const graceMs = 60_000
/** How long after a run's processes are gone their end may take to be reported. */
const farewellMs = 15_000
const retryMs = 2_000
/** How long a run that waits for a person lets its client name the session that it is to go on with. */
const namingMs = 5_000

export interface Reading {
  parts: RunParts
  run: Run
  facts: LaunchFacts
  stream: LiveStream
  cancelled: AbortSignal
  /** The run waits for a person from now on. */
  parked: AbortSignal
  detached: AbortSignal
}

/** When a run's time is over, by the monotonic clock. */
export const deadlineOf = (launchedAt: number, facts: LaunchFacts): number =>
  launchedAt + facts.timeoutSeconds * 1000 + graceMs

const startedWith = (run: Run, { mcpServers, command, session }: LaunchFacts): Started => ({
  mcpServers,
  model: command.model,
  used: session?.resumed ? addUsage(session.used, usedBefore(run)) : null,
})

/** Reads a started run to its end; null when it is left to a later daemon. */
export async function readRun(reading: Reading, launchedAt: number): Promise<Result | null> {
  const { parts, run, facts, stream, cancelled, parked, detached } = reading
  const adapter = parts.adapterOf(facts.adapter)
  if (!adapter) throw new Error(`There is no adapter ${facts.adapter}`)
  const parser = createParser(adapter.reader(startedWith(run, facts)), parts.secretsOf(run), {
    mostTurns: adapter.can.turn_cap ? Number.POSITIVE_INFINITY : turnCap(turnsOf(run)),
  })
  const transcript = createTranscript()
  const [named, over] = [new AbortController(), new AbortController()]
  let late = false
  const folder = parts.runtime.places(run.crew_id, facts.agent).output
  const take = (frames: AgentFrame[]) =>
    inBatches(frames, (frame) => {
      stream.push(frame)
      transcript.add(frame)
      parts.app.collisions.saw(run, folder, frame)
      parts.app.monitor.saw(run, facts.holds === true, frame)
    })

  const inspect = parts.app.tripwires.reader(run)
  const reader = new OutputReader({
    follow: (offset, sink) => parts.runtime.follow(programOf(run, facts), offset, sink),
    async mend() {
      const reason = parts.goneFor(run.crew_id)
      if (!reason) await parts.ready(run.crew_id)
      return reason
    },
    read(chunk) {
      inspect?.(chunk)
      const frames = parser.feed(chunk)
      if (frames.some((frame) => frame.type === 'system' && frame.metadata.subtype === 'init')) {
        noteInit(reading, adapter, parser)
        named.abort()
      }
      if (parser.abort) end()
      return take(frames)
    },
    flush: () => take(parser.flush()),
  })
  let ending: Promise<void> | null = null
  function end(): void {
    ending ??= endProgram(reading, reader)
  }
  async function park(): Promise<void> {
    if (adapter?.namesSessions) await pause(namingMs, AbortSignal.any([named.signal, over.signal, cancelled, detached]))
    if (!over.signal.aborted) end()
  }
  const left = Math.max(0, deadlineOf(launchedAt, facts) - parts.app.steady())
  const clocks = [
    setTimeout(() => {
      late = true
      end()
    }, left),
    setTimeout(
      () => reader.giveUp({ end: { kind: 'lost', reason: 'the container engine does not answer' }, stderr: '' }),
      left + 2 * graceMs,
    ),
  ]
  cancelled.addEventListener('abort', end)
  parked.addEventListener('abort', park)
  detached.addEventListener('abort', () => reader.close())
  if (cancelled.aborted) end()
  else if (parked.aborted) void park()
  if (detached.aborted) reader.close()

  const output = await reader.done
  for (const clock of clocks) clearTimeout(clock)
  over.abort()
  cancelled.removeEventListener('abort', end)
  if (!output) return null
  // What the program started ends before the run does.
  await ((ending as Promise<void> | null) ?? endLeft(reading, output.end))
  const how = late && output.end.kind !== 'exit' ? ({ kind: 'exit', code: 124, timedOut: true } as const) : output.end
  // What was offered or stored while the agent worked is a secret by now.
  parser.learn(parts.secretsOf(run))
  const judged = judge(
    parser,
    {
      end: how,
      stderr: output.stderr,
      cancelled: cancelled.aborted,
      ...(facts.session && { resumed: facts.session.resumed }),
    },
    adapter.stderrFailure,
  )
  const verdict = priced(parts.app.config, facts, judged, parser.facts.finished)
  const { produced, result_text } = parser.facts
  // Some commands of a client answer in their last line only.
  if (!produced && result_text && verdict.status === 'completed')
    for (const piece of take([{ type: 'text', content: result_text }])) piece()
  const told = parser.clean(transcript.finish())
  return { verdict, told, facts, ...(output.end.kind === 'lost' && { lost: output.end }) }
}

/**
 * Ends what a program left that came to its own end; what serves a port that is open to people goes on after a normal
 * one.
 */
async function endLeft({ parts: { app, runtime }, run, facts: { agent } }: Reading, end: RunEnd): Promise<void> {
  const tooLong = end.kind === 'exit' && end.timedOut
  if (!tooLong && isShowing(app, run.agent_id)) return
  const { crewId, runId } = programOf(run, { agent })
  await runtime
    .endLeft(crewId, agent, runId)
    .catch((error) => app.log.warn({ err: error, run: run.id }, 'What a run left could not be ended yet'))
}

function* inBatches(frames: AgentFrame[], work: (frame: AgentFrame) => void): Iterable<() => void> {
  for (let at = 0; at < frames.length; at += frameBatch) yield () => frames.slice(at, at + frameBatch).forEach(work)
}

function noteInit({ parts: { app }, run }: Reading, { namesSessions }: Adapter, parser: Parser): void {
  const { init, session_id } = parser.facts
  if (!init) return
  const named = session_id !== null && namesSessions?.test(session_id) ? session_id : null
  recordSoon(app, 'the session of a run', () => noteSession(app, run, { ...init }, named))
}

/** Ends the program and all that it started, however long the engine takes to obey. */
async function endProgram(reading: Reading, reader: OutputReader): Promise<void> {
  const read = new AbortController()
  void reader.done.then(() => read.abort())
  await endProcesses(reading, read.signal)
  await pause(farewellMs, AbortSignal.any([reading.detached, read.signal]))
  if (!reading.detached.aborted)
    reader.giveUp({ end: { kind: 'lost', reason: 'it was ended and left no record' }, stderr: '' })
}

/**
 * Resolves when nothing of the run is left, or nobody can tell any more. With `enough` a failure after that signal is
 * the last.
 */
export async function endProcesses({ parts, run, facts, detached }: Reading, enough?: AbortSignal): Promise<void> {
  while (!detached.aborted) {
    try {
      return await parts.runtime.endRun(programOf(run, facts))
    } catch (error) {
      parts.app.log.warn({ run: run.id, err: error }, 'A run could not be ended yet')
    }
    if (detached.aborted || enough?.aborted || parts.goneFor(run.crew_id)) return
    await pause(retryMs, enough ? AbortSignal.any([detached, enough]) : detached)
  }
}
