import { expect } from 'vitest'
import { createOutbound, type Outbound } from '#kernel/outbound/outbound'
import { closing, daemon, type TestDaemon } from '#test'
import { driveRoutines } from '../../daemon/features/routines/engine/jobs.ts'
import { firePending } from '../../daemon/features/routines/pending/jobs.ts'

export type Step = Record<string, unknown> & { id: string; type: string }

/** What tests of routines do with a daemon: save a routine, run it, look at the run. */
export function withRoutines<D extends TestDaemon>(it: D) {
  const start = () => [closing(driveRoutines(it.app)), closing(firePending(it.app))]
  const jobs = start()
  const W = `/workspaces/${it.workspace}`
  /** Saves a routine that may run at once. */
  const save = async (slug: string, steps: Step[], more: Record<string, unknown> = {}, author_crew_id?: string) => {
    const definition = { dsl_version: '1.0', name: slug, steps, ...more }
    const body = { slug, definition, skip_test_gate: true, skip_governance_gate: true, author_crew_id }
    const saved = await it.call('OWNER', 'POST', `${W}/pipelines/save`, body)
    expect(saved.status, saved.text).toBe(201)
    return saved.body
  }
  const run = async (slug: string, body: Record<string, unknown> = {}) =>
    (await it.call('MANAGER', 'POST', `${W}/pipelines/${slug}/run`, body)).body
  const result = async (id: string) => (await it.call('VIEWER', 'GET', `${W}/pipeline-runs/${id}`)).body
  /** Moves the clock and wakes what is due then. */
  const pass = (ms: number) => {
    it.clock.advance(ms)
    it.app.bus.emit('wake', '1970-01-01T00:00:00.000Z')
    it.app.bus.emit('parked', '1970-01-01T00:00:00.000Z')
  }
  const until = async (id: string, ...statuses: string[]) => {
    await expect
      .poll(async () => (await result(id)).status, { timeout: 20_000, interval: 20 })
      .toSatisfy((now) => statuses.includes(now))
    return result(id)
  }
  /** Ends what drives runs, as a stop of the daemon does, and begins it anew. */
  const stop = () => jobs.splice(0).map((job) => job.close())
  const restart = () => {
    stop()
    jobs.push(...start())
  }
  return { ...it, W, save, run, result, pass, until, stop, restart }
}

export const routines = async (options?: Parameters<typeof daemon>[0]) => withRoutines(await daemon(options))

/** Lets http steps call servers on this machine, which are reached without TLS. */
export function reachLoopback({ app }: TestDaemon): void {
  const outbound = closing(createOutbound({ permits: (is) => is === 'public' || is === 'loopback' }))
  const send: Outbound['send'] = (url, request) =>
    outbound.send(url.replace(/^https:/, 'http:'), { ...request, operator: true })
  Object.assign(app, { outbound: { ...outbound, send } })
}
