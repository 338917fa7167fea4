import type { App } from '#kernel/app'
import { expireDue, nextExpiry } from '../features/ports/service.ts'
import { endWhenDue } from './due.ts'

/** Marks exposed ports as expired at the moment their time is over. */
export const expirePorts = (app: App) =>
  endWhenDue(app, {
    next: nextExpiry,
    end: expireDue,
    woken: 'network.port_opened',
    failure: 'Exposed ports could not be marked as expired',
  })
