import type { App } from '#kernel/app'
import * as chains from '../runs/chains/service.ts'
import { findRun } from '../runs/service.ts'
import type { Row } from './queries.ts'

type Asked = Pick<Row, 'parent_run_id'>

/** Whether it was asked for where not the whole workspace reads along: then journal and events do not cite it. */
export function isPrivate(app: App, { parent_run_id }: Asked): boolean {
  const run = findRun(app, parent_run_id)
  return run !== undefined && chains.isPrivate(app, run)
}

export function mayRead(app: App, { parent_run_id }: Asked, user: string): boolean {
  const run = findRun(app, parent_run_id)
  return run === undefined || chains.mayRead(app, run, user)
}

/** What is told of a private assignment: that there is one. */
export const withoutWords = <R extends Row>(row: R): R => ({
  ...row,
  task: chains.withheld,
  result_summary: null,
  error_message: row.error_message && chains.withheld,
})
