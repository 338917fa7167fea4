import type { App } from '#kernel/app'
import { completeOnboarding } from '../users/service.ts'
import { queries } from './queries.ts'

export const isComplete = ({ db }: App, user: string): boolean => queries(db).completed.get(user)?.completed === 1

/** Changes nothing the second time. */
export function complete(app: App, user: string, now: string): { status: 'completed' } {
  if (!isComplete(app, user)) completeOnboarding(app, user, now)
  return { status: 'completed' }
}
