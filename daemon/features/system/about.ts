import type { Reply } from '#contract/define'
import { allows } from '#contract/roles'
import type { system } from '#contract/system'
import type { App } from '#kernel/app'
import { homeRoleOf } from '#kernel/auth/home'
import type { Actor } from '#kernel/feature'
import { version } from '#kernel/version'
import { queries } from './queries.ts'
import { isNewer, latestRelease } from './releases.ts'

const installLinks = { docker: 'https://docs.docker.com/engine/install/' }
/** Browsers ask every half minute, each tab for itself; the engine is asked less often. */
const freshMs = 10_000
const known = new WeakMap<App, { until: number; available: Promise<boolean> }>()

export function describeVersion(app: App): Reply<typeof system.version> {
  const { config, db } = app
  const release = latestRelease(app)
  return {
    version,
    runtime: config.containerProvider,
    current: version,
    latest: release?.version ?? null,
    newer: release !== null && isNewer(release.version, version),
    url: release?.url ?? null,
    commit: null,
    build_time: null,
    dirty: null,
    go_version: null,
    node_version: process.version,
    os: process.platform,
    arch: process.arch,
    schema_version: Number.parseInt(queries(db).newestMigration.get()?.name ?? '0', 10),
  }
}

export async function describeRuntime(app: App, actor: Actor): Promise<Reply<typeof system.runtime>> {
  const available = await isAvailable(app)
  const role = homeRoleOf(app, actor.id)
  const kind = app.config.containerProvider
  if (!(role && allows('ADMIN', role)))
    return { available, runtime: null, version: null, socket: null, runtimes: [], install_links: {} }
  const one = { runtime: kind, version: null, socket: null }
  return {
    available,
    ...one,
    runtimes: available ? [{ ...one, in_use: true }] : [],
    install_links: available ? {} : installLinks,
  }
}

function isAvailable(app: App): Promise<boolean> {
  const last = known.get(app)
  if (last && app.steady() < last.until) return last.available
  const available = (async () => (await app.runtime.condition())?.engine.ok === true)()
  known.set(app, { until: app.steady() + freshMs, available })
  return available
}
