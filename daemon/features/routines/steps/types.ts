import type { RoutineDefinition, RoutineStep } from '#contract/routine-definition'
import type { App } from '#kernel/app'
import type { Values } from '#kernel/templates'
import type { RunRow, StepRow } from '../engine/queries.ts'

/** What a step has come to. */
export type Outcome =
  | Completed
  | { status: 'failed'; error: string /** Another attempt would fail too. */; final?: true }
  | { status: 'running' | 'waiting'; keeps: Partial<Kept> }

interface Completed {
  status: 'completed'
  output: unknown
  /** What the type of the step keeps of it. */
  state?: string
}

/** What a step keeps while it is at work or waits. */
export type Kept = Pick<
  StepRow,
  'waitpoint_id' | 'agent_run_id' | 'child_run_id' | 'event_type' | 'state_json' | 'wake_at'
>

/** A step that begins, with what its templates may name. */
export interface Beginning<S extends RoutineStep = RoutineStep> {
  app: App
  run: RunRow
  definition: RoutineDefinition
  step: S
  /** The id of its row, the same over all attempts. */
  id: string
  key: string
  attempt: number
  values: Values
  before: StepRow | undefined
  /** Notes on the run what people should know, though the step goes on. */
  warn(words: string): void
}

export const completed = (output: unknown): Completed => ({ status: 'completed', output })
export const failed = (error: string, final?: true): Outcome => ({ status: 'failed', error, ...(final && { final }) })
