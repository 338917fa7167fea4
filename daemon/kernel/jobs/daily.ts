import type { App } from '../app.ts'
import { sweepRegularly } from './sweep.ts'

/**
 * Deletes expired rows at start and once a day. `forget` deletes at most `most` rows and returns their number; `what`
 * names them in the log.
 */
export const forgetDaily = (app: App, what: string, forget: (most: number) => number): { close(): void } =>
  sweepRegularly(app, { everyMs: 86_400_000, batch: 5000, sweep: forget, failure: `${what} could not be deleted` })
