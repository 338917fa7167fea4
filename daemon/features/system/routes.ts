import { timingSafeEqual } from 'node:crypto'
import { system } from '#contract/system'
import type { App } from '#kernel/app'
import { feature, type Web } from '#kernel/feature'
import { openapi } from '#kernel/http/openapi'
import { problem } from '#kernel/problem'
import { uptime } from '#kernel/uptime'
import { version } from '#kernel/version'
import { exist } from '../users/service.ts'
import { describeRuntime, describeVersion } from './about.ts'
import { examine } from './checks/service.ts'
import { queries } from './queries.ts'

export default feature(system, (app) => ({
  health: async () => {
    if (!databaseAnswers(app)) throw problem('unavailable', { detail: 'The database does not answer' })
    const failure = await app.storage.condition()
    return failure ? { status: 'degraded', degraded: [{ name: 'disk', reason: failure.reason }] } : { status: 'ok' }
  },
  alive: ({ query: { challenge }, web }) => ({
    status: 'ok',
    service: 'muster',
    version,
    uptime: Math.floor((app.clock() - app.startedAt) / 1000),
    ...(challenge && web && app.instance && { instance: app.instance.prove(challenge, web.request.raw.socket) }),
  }),
  ready: async ({ web }) => {
    const failure = await app.storage.condition()
    const checks = { db: databaseAnswers(app), state: !app.stopping.signal.aborted, disk: failure === null }
    const status = Object.values(checks).every(Boolean)
    web.reply.code(status ? 200 : 503).type('application/json')
    return JSON.stringify({ status, checks, ...(failure && { reason: failure.reason }) })
  },
  metrics: async ({ web }) => {
    if (!mayReadMetrics(app, web)) throw problem('not_found')
    web.reply.type(app.metrics.registry.contentType)
    return app.metrics.registry.metrics()
  },
  openapi: ({ web }) => {
    web.reply.type('application/json')
    return document()
  },
  setup: () => ({ needs_bootstrap: !exist(app), allow_signup: app.config.allowSignup }),
  version: () => describeVersion(app),
  daemon: async () => {
    if (!databaseAnswers(app)) throw problem('unavailable', { detail: 'The database does not answer' })
    const status = (await app.storage.condition()) ? 'degraded' : 'ok'
    return { status, uptime: uptime(app) }
  },
  runtime: ({ actor }) => describeRuntime(app, actor),
  telemetry: () => ({ enabled: false, install_id: null }),
  doctor: ({ actor }) => examine(app, actor),
}))

let text: string | undefined
const document = (): string => {
  text ??= JSON.stringify(openapi())
  return text
}

function databaseAnswers(app: App): boolean {
  try {
    return queries(app.db).ping.get()?.one === 1
  } catch (error) {
    app.log.error({ err: error }, 'The database does not answer')
    return false
  }
}

/** This machine may always; others need the metrics token. docs/rules/people.md, "Preferences". */
function mayReadMetrics(app: App, { ip, request }: Web): boolean {
  if (ip === 'local' || ip === '::1' || ip.startsWith('127.')) return true
  const given = Buffer.from(request.headers.authorization ?? '')
  const wanted = Buffer.from(`Bearer ${app.config.metricsToken}`)
  return app.config.metricsToken !== '' && given.length === wanted.length && timingSafeEqual(given, wanted)
}
