import type { App } from '#kernel/app'
import { sweepRegularly } from '#kernel/jobs/sweep'
import { forgetOldVersions } from './service.ts'

/** Deletes versions that are kept long enough, at the start and every hour. */
export const forgetVersionsRegularly = (app: App): { close(): void } =>
  sweepRegularly(app, {
    everyMs: 3_600_000,
    batch: 200,
    sweep: (most) => forgetOldVersions(app, most),
    failure: 'Old versions of memory could not be deleted',
  })
