import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { daemon } from '#test'
import { cliFor } from '../../support/cli.ts'

const reason = ['--reason', 'Request of 26 November']

describe('muster admin gdpr', () => {
  it('exports what is kept about a person, on standard output or into a file of one’s own', async () => {
    const server = await daemon()
    const { email, userId } = server.person('MEMBER')
    const { run, home } = await cliFor(server, 'ADMIN')
    const told = JSON.parse((await run('admin', 'gdpr', 'export', email)).stdout)
    expect(told).toMatchObject({ data_subject_id: userId, peer_cards: [], totals: { inbox_items: 0 } })
    const file = join(home, 'person.json')
    expect((await run('admin', 'gdpr', 'export', userId, '--to', file)).code).toBe(0)
    expect(JSON.parse(readFileSync(file, 'utf8')).data_subject_id).toBe(userId)
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect((await run('admin', 'gdpr', 'export', userId, '--to', file)).code).toBe(2)
  })

  it('erases a person once that is confirmed, and says what became of them', async () => {
    const server = await daemon()
    const { email, userId } = server.person('MEMBER')
    server.app.db
      .prepare(
        `INSERT INTO notifications (id, workspace_id, user_id, actor_type, actor_id, action, entity_type, entity_id,
          created_at) VALUES ('n', ?, ?, 'user', ?, 'assigned', 'issue', 'i', '2026-01-01T00:00:00Z')`,
      )
      .run(server.workspace, userId, server.person('OWNER').userId)
    const { run } = await cliFor(server, 'OWNER')
    expect(await run('admin', 'gdpr', 'purge', email, ...reason), 'it asks first').toMatchObject({ code: 2 })
    const { code, stderr } = await run('admin', 'gdpr', 'purge', email, ...reason, '--yes')
    expect([code, stderr]).toEqual([0, expect.stringContaining('Erased 1 rows.')])
    const again = JSON.parse((await run('admin', 'gdpr', 'purge', userId, ...reason, '--yes', '--json')).stdout)
    expect(again).toMatchObject({ data_subject: userId, rows_deleted: 0, membership_ended: false })
    expect((await run('members', 'list')).stdout).not.toContain(email)
  })

  it('ends with 1 where a part fails, and says what to do', async () => {
    const server = await daemon({ quiet: true })
    const { userId } = server.person('MEMBER')
    const { run } = await cliFor(server, 'OWNER')
    await run('journal', 'erase', userId, ...reason, '--yes')
    expect(await run('admin', 'gdpr', 'purge', userId, ...reason, '--yes')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('journal could not be erased: erasure_running; run the same command again.'),
    })
  })

  it('is refused for OWNERs, and tells what comes first', async () => {
    const server = await daemon()
    const { userId } = server.person('OWNER')
    const { run } = await cliFor(server, 'ADMIN')
    expect(await run('admin', 'gdpr', 'purge', userId, ...reason, '--yes')).toMatchObject({
      code: 5,
      stderr: expect.stringContaining('muster members transfer'),
    })
  })
})
