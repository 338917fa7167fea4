import { expect, it, vi } from 'vitest'
import { usedFolder } from '../support/data-folder.ts'
import { ending } from '../support/endings.ts'

const rows = 20_000
const bea = 'cbea000000000000000000000'
const left = 'SELECT count(*) FROM notifications WHERE user_id = ?'

it('an erasure of a person that is killed is completed by another one', async () => {
  const folder = await usedFolder()
  ending(() => folder.remove())
  // Old ones are deleted without being asked to.
  const now = new Date().toISOString()
  folder.edit((db) => {
    const workspace = db.prepare<[], string>('SELECT id FROM workspaces').pluck().get()!
    const user = `INSERT INTO users (id, email, created_at, updated_at) VALUES (?, 'bea@example.com', '', '')`
    const member = `INSERT INTO workspace_members (id, workspace_id, user_id, role, created_at, updated_at)
      VALUES ('cmember', ?, ?, 'MEMBER', '', '')`
    const notification = db.prepare(
      `INSERT INTO notifications (id, workspace_id, user_id, actor_type, actor_id, action, entity_type, entity_id,
        created_at) VALUES (?, ?, ?, 'user', ?, 'assigned', 'issue', 'i', ?)`,
    )
    db.transaction(() => {
      db.prepare(user).run(bea)
      db.prepare(member).run(workspace, bea)
      for (let n = 0; n < rows; n++) notification.run(`n${n}`, workspace, bea, bea, now)
    })()
  })
  const count = (sql: string, ...values: string[]) => {
    let found = 0
    folder.edit((db) => {
      found = db
        .prepare<string[], number>(sql)
        .pluck()
        .get(...values)!
    })
    return found
  }
  const asked = { userId: bea, body: { reason: 'Request of 26 November' } }

  const first = await folder.start()
  const cut = first.client.admin.purgeData(asked).catch((error: Error) => error)
  await vi.waitFor(() => expect(count(left, bea)).toBeLessThan(rows), { timeout: 20_000, interval: 5 })
  await first.daemon.kill()
  expect(await cut).toBeInstanceOf(Error)
  const rest = count(left, bea)
  expect(rest, 'or it was over before it was killed').toBeGreaterThan(0)
  expect(count('SELECT count(*) FROM workspace_members WHERE user_id = ?', bea)).toBe(1)

  const { client } = await folder.start()
  const done = await vi.waitFor(() => client.admin.purgeData(asked), { timeout: 20_000, interval: 50 })
  expect(done).toMatchObject({ scope: { notifications: rest }, membership_ended: true })
  expect(done.error).toBeUndefined()
  expect(count(left, bea)).toBe(0)
  expect(count("SELECT count(*) FROM gdpr_actions WHERE status = 'interrupted'")).toBe(1)
  expect(count("SELECT count(*) FROM gdpr_actions WHERE status = 'done'")).toBe(1)
  expect(await client.journal.verify({ query: {} })).toMatchObject({ valid: true })
})
