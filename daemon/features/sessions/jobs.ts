import type { App } from '#kernel/app'
import { forgetDaily } from '#kernel/jobs/daily'
import { eraseSessions } from './service.ts'

/** Deletes sessions that ended long ago. */
export const forgetSessions = (app: App) => forgetDaily(app, 'Old sessions', (most) => eraseSessions(app, most))
