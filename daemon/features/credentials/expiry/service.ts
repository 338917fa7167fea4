import { fact } from '#contract/entries'
import type { App } from '#kernel/app'
import { sweepRegularly } from '#kernel/jobs/sweep'
import { bySystem } from '#kernel/journal/about-user'
import { queries } from './queries.ts'

/** How long before its end people are told of a credential. */
const aheadMs = 7 * 86_400_000

/** Records once of each end of a credential that it comes; another end is another matter. */
export function noteEnding(app: App, most: number): number {
  const before = new Date(app.clock() + aheadMs).toISOString()
  const found = queries(app.db).ending.all({ before, most })
  for (const { id, workspace_id, name, token_expires_at, created_by } of found) {
    queries(app.db).told.run(id)
    const payload = { credential_id: id, credential_name: name, expires_at: token_expires_at!, created_by }
    app.journal(fact('credential.expiring', payload, { workspace_id, ...bySystem }))
  }
  return found.length
}

export const watchEnds = (app: App): { close(): void } =>
  sweepRegularly(app, {
    everyMs: 3_600_000,
    batch: 200,
    sweep: (most) => noteEnding(app, most),
    failure: 'What credentials end soon could not be found out',
  })
