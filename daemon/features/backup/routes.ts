import { backup } from '#contract/backup'
import { feature, wished } from '#kernel/feature'
import { problem } from '#kernel/problem'
import { findBundle } from './folder.ts'
import { makeBackup, requireFolder } from './making.ts'
import { lockingOf } from './rules.ts'
import { scheduled } from './schedule.ts'
import { guard, inspect, list, removeBundle, rotate, status, verify } from './service.ts'

export default feature(
  backup,
  (app) => ({
    create: wished(
      ({ actor, body }) => {
        guard(app, actor)
        const locking = lockingOf(body)
        requireFolder(app)
        return {
          level: body.scope_level ?? ('standard' as const),
          locking: () => locking,
          with_key: body.with_key === true,
        }
      },
      ({ actor }, wish) => makeBackup(app, actor, wish),
    ),
    list: ({ actor }) => list(app, actor),
    status: ({ actor }) => status(app, actor),
    inspect: ({ actor, query }) => inspect(app, actor, query.path),
    verify: ({ actor, query }) => verify(app, actor, query.path),
    rotate: wished(
      ({ actor, body: { keep_last, keep_days } }) => {
        guard(app, actor)
        requireFolder(app)
        if (keep_last === undefined && keep_days === undefined)
          throw problem('missing_field', { field: 'keep_last', detail: 'Name keep_last, keep_days or both' })
        return { last: keep_last, days: keep_days }
      },
      async ({ actor, body: { dry_run = false } }, keep) => ({
        deleted: await rotate(app, actor, keep, dry_run),
        dry_run,
      }),
    ),
    remove: wished(
      ({ actor, query }) => {
        guard(app, actor)
        requireFolder(app)
        return query.path
      },
      async ({ actor }, path) => {
        await removeBundle(app, actor, await findBundle(app, path))
        return undefined
      },
    ),
  }),
  { jobs: [scheduled] },
)
