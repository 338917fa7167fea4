import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { type Client, type Connection, createClient, createConnection } from '#client'
import type { Db } from '#kernel/store/db'
import { type Musterd, refusedMusterd, startMusterd } from './musterd.ts'

/** What a daemon keeps, with no daemon at work on it until one is started. */
export interface DataFolder {
  readonly dir: string
  path(name: string): string
  /** Works on the database itself. */
  edit(work: string | ((db: Db) => void)): void
  /** The same data in a folder of its own. */
  copy(): DataFolder
  /** Starts the built daemon; `said` is what it logs. */
  start(
    words?: readonly string[],
    env?: Record<string, string>,
  ): Promise<{ daemon: Musterd; connection: Connection; client: Client; said: string[] }>
  /** Starts it, and expects that it ends: how, and with which words. */
  refusal(env?: Record<string, string>): Promise<{ code: number | null; said: string }>
  remove(): void
}

const settings = { SVC_PORT: '0', SVC_CONTAINER_PROVIDER: 'process', SVC_LOG_LEVEL: 'info' }

/** A folder with no data yet. `who` are the credentials of its first user, once there is one. */
export function dataFolder(who: { token?: string; workspace?: string } = {}): DataFolder {
  const home = mkdtempSync(join(tmpdir(), 'muster-data-'))
  const dir = join(home, 'data')
  const path = (name: string) => join(dir, name)
  const env = { ...settings, HOME: home, SVC_DATA_DIR: dir }
  const running: Musterd[] = []
  return {
    dir,
    path,
    edit(work) {
      const db = new Database(path('muster.db'))
      try {
        if (typeof work === 'string') db.exec(work)
        else work(db)
      } finally {
        db.close()
      }
    },
    copy() {
      const other = dataFolder(who)
      // A daemon that was killed leaves its socket.
      cpSync(dir, other.dir, { recursive: true, filter: (name) => !name.endsWith('.sock') })
      return other
    },
    async start(words = [], more = {}) {
      const said: string[] = []
      const daemon = await startMusterd({ ...env, ...more }, (text) => said.push(text), { words })
      running.push(daemon)
      const connection = createConnection({ server: `unix://${dir}/musterd.sock`, ...who })
      return { daemon, connection, client: createClient(connection), said }
    },
    refusal: (more = {}) => refusedMusterd({ ...env, ...more }),
    remove() {
      for (const { process } of running) process.kill('SIGKILL')
      rmSync(home, { recursive: true, force: true })
    },
  }
}

/** A folder whose daemon has served one user, journaled a few crews and stopped. */
export async function usedFolder(): Promise<DataFolder> {
  const first = dataFolder()
  const { daemon, client } = await first.start()
  const body = { full_name: 'Ada Lovelace', email: 'ada@example.com', password: 'correct horse battery' }
  const { cli_token: token, workspace_id: workspace } = await client.bootstrap.create({ body })
  const owner = createClient({ server: `unix://${first.dir}/musterd.sock`, token, workspace })
  for (let n = 1; n <= 6; n++) await owner.crews.create({ body: { name: `Crew ${n}`, slug: `crew-${n}` } })
  await daemon.stop()
  const used = dataFolder({ token, workspace })
  cpSync(first.dir, used.dir, { recursive: true })
  first.remove()
  return used
}
