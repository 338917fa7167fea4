import type { App } from '#kernel/app'
import * as chains from '../runs/chains/service.ts'
import { findRun } from '../runs/service.ts'
import type { Row } from './queries.ts'

/** Whether it was asked where not the whole workspace reads along: then journal and events do not cite it. */
export function isPrivate(app: App, { asking_run_id }: Row): boolean {
  const run = findRun(app, asking_run_id)
  return run !== undefined && chains.isPrivate(app, run)
}

/** What is told of a private question: that there was one. */
export const withoutWords = (row: Row): Row => ({
  ...row,
  question: chains.withheld,
  response: row.response && chains.withheld,
  error: row.error && chains.withheld,
  warning: row.warning && chains.withheld,
})

/** A question as a person may know it. */
export function readBy(app: App, row: Row, user: string): Row {
  const run = findRun(app, row.asking_run_id)
  return run === undefined || chains.mayRead(app, run, user) ? row : withoutWords(row)
}
