// A daemon's application over a journal of any size, without HTTP.
import { join } from 'node:path'
import { compile, load, root } from '../support.mjs'
import { crews, draftsOf } from './drafts.mjs'

const modules = load(
  'daemon/kernel/app.ts',
  'daemon/kernel/config.ts',
  'daemon/kernel/store/db.ts',
  'daemon/kernel/journal/journal.ts',
  'daemon/kernel/log.ts',
  'daemon/kernel/store/reads.ts',
  'daemon/features/journal/reads.ts',
  'daemon/features/runs/records/projection.ts',
  'src/contract/entries.ts',
)

/** A database with the daemon's schema, made where there is none. */
export async function openStore(file) {
  const { openDatabase, migrate, readMigrations } = await modules
  const db = openDatabase(file)
  migrate(db, readMigrations(join(root, 'daemon/migrations')), '2026-01-01T00:00:00Z')
  return db
}

/** A combination of crew, type and severity that occurs in the oldest hundredth only: the worst case of a list. */
export const rarity = { crew_id: crews[0], entry_type: 'container.started', severity: 'error' }

const withRarity = (draft, old) =>
  !old && draft.crew_id === crews[0] && draft.type === 'container.started' && draft.severity === 'error'
    ? { ...draft, severity: 'warn' }
    : draft

/** Appends `count` entries, 50 ms apart, as fast as it goes: nothing here is measured. */
export async function fill(db, count, workspace) {
  const { createJournal, projectRuns } = await modules
  db.pragma('synchronous = OFF')
  db.pragma('cache_size = -400000')
  let now = 1.75e12
  const journal = createJournal(db, () => (now += 50))
  journal.project(projectRuns(db))
  const draft = draftsOf(3, workspace)
  for (let done = 0; done < count; ) {
    db.exec('BEGIN')
    for (const until = Math.min(count, done + 20_000); done < until; done++)
      journal.append(withRarity(draft(), done < count / 100))
    db.exec('COMMIT')
    journal.settle()
  }
  db.pragma('wal_checkpoint(TRUNCATE)')
  db.pragma('synchronous = FULL')
  db.pragma('cache_size = -2000')
  return now
}

const madeUp = 'a.made-up.entry'

/** Records a draft as the fact of a made-up definition. */
const recorder =
  (app, facts) =>
  ({ type, severity, summary, payload, ...about }) => {
    facts[madeUp] = { type, severity, says: () => summary }
    return app.journal({ name: madeUp, payload, about })
  }

/** The application as the daemon makes it, its reading threads included. */
export async function openApp(db, clock = Date.now) {
  const { createApp, loadConfig, createThreadReads, createLog, createJournalReads, projectRuns, facts } = await modules
  const log = createLog({ level: 'error', format: 'text' })
  const { config } = loadConfig({
    env: {
      SVC_ENV: 'test',
      SVC_STREAMS_PER_USER: '1000000',
      SVC_DATA_DIR: '/nonexistent',
      XDG_CONFIG_HOME: '/nonexistent',
    },
  })
  const app = createApp({
    config,
    db,
    log,
    vault: null,
    clock,
    reads: createThreadReads(db, log, compile('daemon/reader.ts')),
  })
  app.project(projectRuns(db))
  return { app, reads: createJournalReads(app), record: recorder(app, facts) }
}
