import { expect, it } from 'vitest'
import { closing, daemon } from '#test'
import { forgetSessions } from '../../../../daemon/features/sessions/jobs.ts'

const day = 86_400_000

it('forgets browsers three months after their session ran out', async () => {
  const it = await daemon()
  const insert = it.app.db.prepare(
    `INSERT INTO user_sessions (id, user_id, created_at, last_used_at, expires_at, current_refresh_jti)
     VALUES (?, ?, '', '', ?, 'j')`,
  )
  for (const ago of [-1, 89.9, 90])
    insert.run(`s_${ago}`, it.person('OWNER').userId, new Date(it.clock() - ago * day).toISOString())
  closing(forgetSessions(it.app))
  await it.app.idle()
  expect(it.app.db.prepare('SELECT id FROM user_sessions ORDER BY expires_at').pluck().all()).toEqual([
    's_89.9',
    's_-1',
  ])
})
