import type { Acting } from '#contract/entries'
import type { App } from './app.ts'
import type { Actor } from './feature.ts'

/** A routine, as what refers to it shows it. */
export interface NamedRoutine {
  id: string
  slug: string
  name: string
}

/** The issue that a routine is to do. */
export interface RoutineIssue {
  id: string
  identifier: string
  routine: string
  inputs: Readonly<Record<string, unknown>>
}

/** Routines, for features that stand below them. */
export interface Routines {
  /** A routine of the workspace by its id. */
  find(app: App, workspace: string, id: string): NamedRoutine | undefined
  /** Starts a run for an issue and answers its id; throws what starting a routine throws. */
  start(app: App, actor: Actor, issue: RoutineIssue): string
  /** Cancels a run wherever it is; false when it is over. */
  cancel(app: App, run: string, by: Acting): boolean
}
