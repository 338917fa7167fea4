import type { App } from '#kernel/app'
import { forgetOldUses } from '../features/tokens/service.ts'
import { forgetDaily } from './daily.ts'

/** Forgets uses of administrative tokens when their time is over. */
export const forgetTokenUses = (app: App) =>
  forgetDaily(app, 'Old uses of administrative tokens', (most) => forgetOldUses(app, most))
