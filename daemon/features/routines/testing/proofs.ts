import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import type { App } from '#kernel/app'

const tokenMs = 3_600_000
const ownKeys = new WeakMap<App, Buffer>()

function keyOf(app: App): Buffer {
  if (app.vault) return app.vault.derive('routine-tests')
  const known = ownKeys.get(app) ?? randomBytes(32)
  ownKeys.set(app, known)
  return known
}

const proof = (app: App, workspace: string, hash: string, until: number): string =>
  createHmac('sha256', keyOf(app)).update(`${workspace}\n${hash}\n${until}`).digest('base64url')

/** A token that says that this definition was tested. */
export function proofOf(app: App, workspace: string, hash: string): string {
  const until = app.clock() + tokenMs
  return `${until}.${proof(app, workspace, hash, until)}`
}

/** Whether a token says that this definition was tested within the last hour. */
export function provesTest(app: App, workspace: string, hash: string, token: string | null): boolean {
  const [until = '', given = ''] = (token ?? '').split('.')
  if (!/^\d{13}$/.test(until) || Number(until) < app.clock()) return false
  const expected = Buffer.from(proof(app, workspace, hash, Number(until)))
  const got = Buffer.from(given)
  return got.length === expected.length && timingSafeEqual(got, expected)
}
