import { existsSync, statSync } from 'node:fs'
import { statfs } from 'node:fs/promises'
import { join } from 'node:path'
import type { App } from '#kernel/app'
import { homeOf } from '#kernel/auth/home'
import type { Actor } from '#kernel/feature'
import { problem } from '#kernel/problem'
import { lastBackup } from '../../backup/service.ts'
import { keyOpensStored } from '../../credentials/service.ts'
import { desiredCrews } from '../../crews/containers/service.ts'
import { queries } from '../queries.ts'
import {
  type Finding,
  judgeBackup,
  judgeCrewData,
  judgeCrews,
  judgeDisk,
  judgeImages,
  judgeKey,
  judgeMail,
  judgeNetwork,
  judgeOrphans,
  judgePermissions,
  judgeRuntime,
  judgeStorage,
  ok,
  size,
} from './rules.ts'

/** Files beside the database that hold secrets or what was said. */
const kept = [
  'muster.db',
  'muster.db-wal',
  'search.db',
  'encryption.key',
  'musterd.json',
  'musterd.log',
  'musterd.sock',
]

/** Looks at everything that an operator should know of. Only who runs the server may ask. */
export async function examine(app: App, actor: Actor): Promise<Finding[]> {
  if (actor.workspace !== homeOf(app)) {
    throw problem('insufficient_role', {
      detail: 'Only the admins of the first workspace of this server see its condition',
    })
  }
  const { dataDir } = app.config
  const crewData = app.disk.condition()
  const condition = await app.runtime.condition()
  return [
    ...(condition ? [judgeRuntime(condition), ...judgeImages(condition)] : []),
    ...judgeCrews(desiredCrews(app).map(({ spec, seen }) => ({ slug: spec.slug, error: seen.error }))),
    ...(condition ? judgeOrphans(condition) : []),
    ...judgeStorage(dataDir, await app.storage.condition()),
    ...(await disk(dataDir)),
    ...(crewData ? judgeCrewData(crewData) : []),
    ...permissions(dataDir),
    database(app),
    judgeKey(app.vault !== null, app.vault && keyOpensStored(app)),
    judgeNetwork(network(app)),
    judgeMail({ ...app.mailer.condition(), publicUrl: app.config.publicUrl }),
    ...(await backup(app)),
  ]
}

async function disk(dataDir: string): Promise<Finding[]> {
  if (!existsSync(dataDir)) return []
  const { bavail, blocks, bsize } = await statfs(dataDir)
  return [judgeDisk(dataDir, bavail * bsize, blocks * bsize)]
}

/** A server in memory has nothing to back up. */
async function backup(app: App): Promise<Finding[]> {
  const last = await lastBackup(app)
  return last ? [judgeBackup({ ...last, hours: app.config.backupHours, now: app.clock() })] : []
}

function permissions(dataDir: string): Finding[] {
  const paths = ['', ...kept].flatMap((name) => {
    const path = join(dataDir, name)
    const stat = statSync(path, { throwIfNoEntry: false })
    return stat ? [{ path, mode: stat.mode, uid: stat.uid }] : []
  })
  return paths.length ? [judgePermissions(paths, process.getuid?.() ?? 0)] : []
}

function database({ db, config: { dataDir } }: App): Finding {
  const bytes = ['muster.db', 'muster.db-wal', 'search.db'].reduce(
    (sum, name) => sum + (statSync(join(dataDir, name), { throwIfNoEntry: false })?.size ?? 0),
    0,
  )
  return ok('database', `SQLite ${queries(db).version.get()!.version}, ${size(bytes)}`)
}

function network({ config: { host, port, tlsCert, rateLimitDisabled } }: App) {
  const loopback = host === 'localhost' || host === '::1' || host.startsWith('127.')
  return {
    url: `${tlsCert ? 'https' : 'http'}://${host.includes(':') ? `[${host}]` : host}${port ? `:${port}` : ''}`,
    loopback,
    limited: !rateLimitDisabled,
  }
}
