import type { App } from '#kernel/app'
import { eraseExpired, nextExpiry } from '../features/credentials/rotations/service.ts'
import { endWhenDue } from './due.ts'

/** Erases a rotated credential's old value at the moment its grace is over. */
export const eraseOldValues = (app: App) =>
  endWhenDue(app, {
    next: nextExpiry,
    end: eraseExpired,
    woken: 'credential.rotated',
    failure: 'Old values could not be erased',
  })
