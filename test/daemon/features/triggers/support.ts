import { createHmac } from 'node:crypto'
import { expect } from 'vitest'
import { beginDue } from '../../../../daemon/features/triggers/jobs.ts'
import { init, result, says } from '../../../support/claude-lines.ts'
import type { FakeRuntime } from '../../../support/fake-runtime.ts'
import { type Workplace, workplace } from '../../../support/runs.ts'

export type Place = Workplace<FakeRuntime>

export const sign = (secret: string, text: string) => createHmac('sha256', secret).update(text).digest('hex')

/** A place whose agent can be called: with its secret, and `post`, which sends a call as another program does. */
export async function called(options: Parameters<typeof workplace>[0] = {}) {
  const it: Place = await workplace(options as object)
  const secret = await rotate(it)
  const path = `/webhooks/${it.crewId}/${it.agentId}/trigger`
  const post = (body: string | undefined, headers: Record<string, string>, at = path) =>
    it.call(null, 'POST', at, body, headers)
  const signed = (body: string, more: Record<string, string> = {}) =>
    post(body, { 'x-signature': sign(secret, body), ...more })
  return { ...it, secret, path, post, signed }
}

export async function rotate(it: Place): Promise<string> {
  const { status, body, text } = await it.call('OWNER', 'POST', `/agents/${it.agentId}/webhook-secret/rotate`)
  expect(status, text).toBe(200)
  return body.webhook_secret
}

/** Begins what is due, as the daemon does while it runs. */
export const settle = (it: Place) => beginDue(it.app)

/** The n-th program says something and ends, well or badly. */
export async function end(it: Place, n: number, how: 'well' | 'badly' = 'well') {
  const program = await it.runtime.program(n)
  if (how === 'well') it.runtime.print(program, init, says('Done'), result())
  it.runtime.finish(program, { kind: 'exit', code: how === 'well' ? 0 : 1, timedOut: false })
  await it.runs.ended(runs(it)[n]!.trace_id!)
}

/** Entries of the runs that have begun, oldest first. */
export const runs = (it: Place) => it.entries().filter(({ entry_type }) => entry_type === 'run.started')

export const told = (it: Place, type: string) => it.entries().filter(({ entry_type }) => entry_type === type)

export const inboxOf = async (it: Place) => (await it.call('OWNER', 'GET', '/inbox')).body.rows
