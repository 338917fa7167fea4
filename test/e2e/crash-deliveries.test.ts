import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterAll, expect, it } from 'vitest'
import { certificate } from '../support/fake-server.ts'
import { mailServer } from '../support/mail-server.ts'
import { type Musterd, startMusterd } from '../support/musterd.ts'

const data = mkdtempSync(join(tmpdir(), 'muster-crash-'))
const [rounds, each] = [10, 4]

let daemon: Musterd | undefined
afterAll(async () => {
  await daemon?.stop()
  rmSync(data, { recursive: true, force: true })
})

/** A database that no daemon has open. */
function within<T>(work: (db: Database.Database) => T): T {
  const db = new Database(join(data, 'muster.db'))
  try {
    return work(db)
  } finally {
    db.close()
  }
}

const idOf = (n: number) => `del_${n.toString(16).padStart(16, '0')}`

/** Puts messages into the outbox, as the change does that they tell of. */
const put = (round: number, about: { workspace: string; channel: string; user: string }) =>
  within((db) => {
    const insert = db.prepare(
      `INSERT INTO notification_deliveries (id, workspace_id, channel_id, user_id, event_id, category, dedup_key,
        source_kind, source_id, title, message_json, status, attempts, next_at, created_at, updated_at)
       VALUES (@id, @workspace, @channel, @user, @id, 'issues.created', @id, 'issue', @id, 'It', @message, 'pending', 0,
        @at, @now, @now)`,
    )
    const message = JSON.stringify({ title: 'It', body: 'happened', priority: 'low' })
    for (let n = round * each; n < (round + 1) * each; n++)
      insert.run({ id: idOf(n), ...about, message, at: Date.now(), now: new Date().toISOString() })
  })

it(`no delivery is lost over ${rounds} crashes, and each keeps its id`, { timeout: 600_000 }, async () => {
  const mail = await mailServer()
  const env = {
    SVC_DATA_DIR: data,
    SVC_PORT: '0',
    SVC_CONTAINER_PROVIDER: 'process',
    SVC_LOG_LEVEL: 'error',
    HOME: data,
    SMTP_URL: `smtp://localhost:${mail.port}`,
    MAILER_FROM: 'Muster <muster@example.com>',
    NODE_EXTRA_CA_CERTS: certificate,
  }
  daemon = await startMusterd(env)
  const post = async (path: string, body: object, headers = {}) =>
    (
      await fetch(`${daemon!.url}/api/v1${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify(body),
      })
    ).json()
  const person = { full_name: 'Ada', email: 'ada@example.com', password: 'correct horse battery' }
  const made = await post('/bootstrap', person)
  const headers = { authorization: `Bearer ${made.cli_token}`, 'x-workspace-id': made.workspace_id }
  const channel = await post('/notification-channels', { type: 'email', to: 'ada@example.com' }, headers)
  expect(channel.id).toMatch(/./)
  await daemon.kill()
  const user = within((db) => db.prepare('SELECT id FROM users').pluck().get() as string)
  for (let round = 0; round < rounds; round++) {
    put(round, { workspace: made.workspace_id, channel: channel.id, user })
    const before = mail.arrived.length
    daemon = await startMusterd(env)
    // Somewhere between the arrival of one mail and that of another, its outcome stored or not.
    await mail.until(before + 1 + Math.floor(Math.random() * each))
    await new Promise((resolve) => setTimeout(resolve, Math.random() * 10))
    await daemon.kill()
  }
  daemon = await startMusterd(env)
  const left = () =>
    within((db) => db.prepare("SELECT count(*) FROM notification_deliveries WHERE status <> 'sent'").pluck().get())
  await expect.poll(left, { timeout: 30_000, interval: 50 }).toBe(0)
  const ids = mail.arrived.map((it) => it.headers['message-id']!.replace(/^<|@.*$/g, ''))
  expect([...new Set(ids)].sort()).toEqual(Array.from({ length: rounds * each }, (_, n) => idOf(n)))
})
