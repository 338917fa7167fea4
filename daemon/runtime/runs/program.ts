import { hash } from 'node:crypto'
import type { App } from '#kernel/app'
import { markDiscarded } from '../../features/runs/programs/service.ts'
import type { Run } from '../../features/runs/service.ts'
import type { RunRef, Runtime } from '../types.ts'
import type { LaunchFacts } from './parts.ts'

/** A run's programs follow each other: the first has the run's id, the others a number behind it. */
export const programIds = ({ id, attempt }: Pick<Run, 'id' | 'attempt'>): string[] =>
  Array.from({ length: attempt + 1 }, (_, n) => (n === 0 ? id : `${id}-${n}`))

/** The run that a program belongs to, by what it knows itself as (SVC_RUN_ID). Ids of runs hold no dash. */
export const runOfProgram = (program: string): string => program.split('-', 1)[0]!

/** The newest of a run's programs, as the runtime knows it. */
export const programOf = (run: Run, { agent }: Pick<LaunchFacts, 'agent'>): RunRef => ({
  crewId: run.crew_id,
  runId: programIds(run).at(-1)!,
  agent,
})

/** How many turns a run may have depends on these. */
export const turnsOf = ({ max_turns, trigger_type }: Run) => ({
  maxTurns: max_turns,
  unattended: trigger_type !== 'USER',
})

/** Id of the session that a program's client keeps: always the same for the same program. */
export function clientSessionId(program: string): string {
  const hex = hash('sha256', `muster/session/${program}`)
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}

/** Removes what the programs of an ended run left; what cannot be removed now is left for the crew's next start. */
export async function discardPrograms(
  app: App,
  runtime: Runtime,
  run: Run,
  { agent }: Pick<LaunchFacts, 'agent'>,
): Promise<void> {
  try {
    for (const runId of programIds(run)) await runtime.discardRun({ crewId: run.crew_id, runId, agent })
    await app.write(() => markDiscarded(app, run.id))
  } catch (error) {
    app.log.warn({ err: error, run: run.id }, 'A spool is left for later')
  }
}
