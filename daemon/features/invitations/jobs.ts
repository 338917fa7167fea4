import type { App } from '#kernel/app'
import { forgetDaily } from '#kernel/jobs/daily'
import { forgetOldInvitations } from './service.ts'

/** Forgets invitations that ended a while ago: addresses of people who may never have come. */
export const forgetInvitations = (app: App) =>
  forgetDaily(app, 'Old invitations', (most) => forgetOldInvitations(app, most))
