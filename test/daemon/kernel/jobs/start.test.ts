import { expect, it } from 'vitest'
import type { Job } from '#kernel/feature'
import { startJobs } from '#kernel/jobs/start'
import { closing, daemon } from '#test'
import { features } from '../../../../daemon/features/index.ts'

it('starts the jobs of every feature and ends them all', async () => {
  const { app } = await daemon()
  const seen: string[] = []
  const job =
    (name: string): Job =>
    (given) => {
      seen.push(`${name} began with ${given === app ? 'the application' : 'something else'}`)
      return { close: () => void seen.push(`${name} ended`) }
    }
  const jobs = startJobs(app, {
    tokens: { jobs: [job('expiry'), job('uses')] },
    crews: { jobs: [] },
    ports: { jobs: [job('ports')] },
  })
  expect(seen).toEqual(['expiry', 'uses', 'ports'].map((name) => `${name} began with the application`))
  jobs.close()
  expect(seen.slice(3)).toEqual(['expiry ended', 'uses ended', 'ports ended'])
})

it('starts the jobs of Muster itself', async () => {
  const { app, person } = await daemon()
  const insert = app.db.prepare(
    `INSERT INTO user_sessions (id, user_id, created_at, last_used_at, expires_at, current_refresh_jti)
     VALUES ('s_1', ?, '', '', '2020-01-01T00:00:00Z', 'j')`,
  )
  insert.run(person('OWNER').userId)
  closing(startJobs(app, features))
  await app.idle()
  expect(app.db.prepare('SELECT count(*) FROM user_sessions').pluck().get()).toBe(0)
})
