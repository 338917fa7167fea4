import type { App } from '#kernel/app'
import { forgetOldAudit } from '../features/credentials/audit/service.ts'
import { forgetOldInvitations } from '../features/invitations/service.ts'
import { eraseSessions } from '../features/sessions/service.ts'
import { forgetDaily } from './daily.ts'

/** Forgets the records of credentials as each workspace asks. */
export const forgetCredentialAudit = (app: App) =>
  forgetDaily(app, 'Old records of credentials', (most) => forgetOldAudit(app, most))

/** Forgets invitations that ended a while ago: addresses of people who may never have come. */
export const forgetInvitations = (app: App) =>
  forgetDaily(app, 'Old invitations', (most) => forgetOldInvitations(app, most))

/** Forgets browsers that were signed in a while ago. */
export const forgetSessions = (app: App) => forgetDaily(app, 'Old sessions', (most) => eraseSessions(app, most))
