import type { App } from '#kernel/app'
import { queries } from './queries.ts'

export const isComplete = ({ db }: App, user: string): boolean => queries(db).completed.get(user)?.completed === 1

/** Once is enough; doing it again changes nothing. */
export async function complete(app: App, user: string, now: string): Promise<{ status: 'completed' }> {
  if (!isComplete(app, user)) await app.write(() => markComplete(app, user, now))
  return { status: 'completed' }
}

export const markComplete = ({ db }: App, user: string, now: string): void =>
  void queries(db).complete.run({ user, now })
