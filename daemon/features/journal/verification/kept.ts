import { createHmac } from 'node:crypto'
import type { App } from '#kernel/app'
import { sameText } from '#kernel/journal/seal'
import type { Walked } from '../walk.ts'
import { queries } from './queries.ts'

/** How far a verification came, and when that was. */
export interface Kept {
  walked: Walked
  at: string
}

/**
 * Without the MAC, whoever can write to the database could let the next verification begin behind what they forged.
 */
const macOf = ({ vault }: App, workspace: string, state: string): string | null =>
  vault && createHmac('sha256', vault.derive('journal-verification')).update(`${workspace}\n${state}`).digest('hex')

/** Keeps how far a verification came, within a change; not without a key. */
export function keep(app: App, workspace: string, come: Kept): void {
  const state = JSON.stringify(come)
  const mac = macOf(app, workspace, state)
  if (mac) queries(app.db).write.run(workspace, state, mac)
}

export const isKept = ({ db }: App, workspace: string): boolean => queries(db).read.get(workspace) !== undefined

export const forget = ({ db }: App, workspace: string): void => void queries(db).remove.run(workspace)

/** Where an interrupted verification goes on; null when none was, or what it had passed is not there any more. */
export function kept(app: App, workspace: string, ws: number): Kept | null {
  const row = queries(app.db).read.get(workspace)
  const mac = row && macOf(app, workspace, row.state)
  if (!row || !mac || !sameText(mac, row.mac)) return null
  const found = JSON.parse(row.state) as Kept
  const { last } = found.walked
  if (!last) return null
  const hash = Buffer.from(last.hash, 'hex')
  return queries(app.db).holds.get({ seq: last.seq, ws, hash })!.there ? found : null
}
