import { afterEach, expect, it, vi } from 'vitest'
import { closing, daemon, type Person, type TestDaemon } from '#test'
import { forgetCredentialAudit } from '../../../../daemon/features/credentials/jobs.ts'

afterEach(() => vi.useRealTimers())

const day = 86_400_000

async function recorded(it: TestDaemon, owner: Person, days: number | null) {
  it.app.db.prepare('UPDATE workspaces SET credential_audit_retention_days = ? WHERE id = ?').run(days, owner.workspace)
  const { id } = (await it.call(owner, 'POST', '/credentials', { name: 'key', value: 'secret', type: 'SECRET' })).body
  it.app.db.prepare('DELETE FROM credential_audit WHERE credential_id = ?').run(id)
  const insert = it.app.db.prepare(
    'INSERT INTO credential_audit (id, credential_id, event, actor_type, detail_json, created_at) VALUES (?, ?, ' +
      "'USE', 'system', '{}', ?)",
  )
  for (const ago of [0, 9, 11, 89, 91, 4000])
    insert.run(`${id}-${ago}`, id, `${new Date(it.clock() - ago * day).toISOString().slice(0, 19)}Z`)
  return async () =>
    ((await it.call(owner, 'GET', `/credentials/${id}/audit`)).body as { id: string }[])
      .map((row) => Number(row.id.split('-').at(-1)))
      .sort((a, b) => a - b)
}

it('keeps the records of credentials as long as their workspace says', async () => {
  const it = await daemon()
  const usual = await recorded(it, it.person('OWNER'), null)
  const short = await recorded(it, it.stranger(), 10)
  const ever = await recorded(it, it.stranger(), 0)
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  closing(forgetCredentialAudit(it.app))
  await it.app.idle()
  expect([await usual(), await short(), await ever()]).toEqual([
    [0, 9, 11, 89],
    [0, 9],
    [0, 9, 11, 89, 91, 4000],
  ])
  it.clock.advance(1.5 * day)
  await vi.advanceTimersByTimeAsync(day)
  await it.app.idle()
  expect([await usual(), await short()]).toEqual([[0, 9, 11], [0]])
})
