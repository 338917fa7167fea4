import type { App } from '#kernel/app'
import { completeOnboarding } from '../users/service.ts'
import { queries } from './queries.ts'

export const isComplete = ({ db }: App, user: string): boolean => queries(db).completed.get(user)?.completed === 1

/** Changes nothing the second time. */
export async function complete(app: App, user: string, now: string): Promise<{ status: 'completed' }> {
  if (!isComplete(app, user)) await app.write(() => completeOnboarding(app, user, now))
  return { status: 'completed' }
}
