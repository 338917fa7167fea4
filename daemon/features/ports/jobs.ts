import type { App } from '#kernel/app'
import { endWhenDue } from '#kernel/jobs/due'
import { expireDue, nextExpiry } from './service.ts'

/** Marks exposed ports as expired at the moment their time is over. */
export const expirePorts = (app: App) =>
  endWhenDue(app, {
    next: nextExpiry,
    end: expireDue,
    woken: 'network.port_opened',
    failure: 'Exposed ports could not be marked as expired',
  })
