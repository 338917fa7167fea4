import type { App } from '#kernel/app'
import { forgetDaily } from '#kernel/jobs/daily'
import { eraseSessions } from './service.ts'

/** Forgets browsers that were signed in a while ago. */
export const forgetSessions = (app: App) => forgetDaily(app, 'Old sessions', (most) => eraseSessions(app, most))
