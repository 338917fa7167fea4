import type { App } from '#kernel/app'
import { sweepRegularly } from '#kernel/jobs/sweep'
import { expireHires } from './outcomes.ts'

/** Makes ghosts of hired agents whose time is over, at the start and every five minutes. */
export const expireHiresRegularly = (app: App): { close(): void } =>
  sweepRegularly(app, {
    everyMs: 300_000,
    batch: 100,
    sweep: (most) => expireHires(app, most),
    failure: 'Hired agents could not be let go',
  })
