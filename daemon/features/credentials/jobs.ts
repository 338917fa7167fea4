import type { App } from '#kernel/app'
import { forgetDaily } from '#kernel/jobs/daily'
import { endWhenDue } from '#kernel/jobs/due'
import { forgetOldAudit } from './audit/service.ts'
import { eraseExpired, nextExpiry } from './rotations/service.ts'

/** Erases a rotated credential's old value at the moment its grace is over. */
export const eraseOldValues = (app: App) =>
  endWhenDue(app, {
    next: nextExpiry,
    end: eraseExpired,
    woken: 'credential.rotated',
    failure: 'Old values could not be erased',
  })

/** Forgets the records of credentials as each workspace asks. */
export const forgetCredentialAudit = (app: App) =>
  forgetDaily(app, 'Old records of credentials', (most) => forgetOldAudit(app, most))
