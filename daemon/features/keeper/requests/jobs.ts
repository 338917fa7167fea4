import type { App } from '#kernel/app'
import { forgetDaily } from '#kernel/jobs/daily'
import { untilWritten } from '#kernel/store/until-written'
import { keptSince } from '../../credentials/audit/service.ts'
import { denyLeft } from './outcomes.ts'
import { queries } from './queries.ts'

/** At the start, denies what nobody judges any more. */
export function denyUnjudged(app: App): { close(): void } {
  void untilWritten(app, () => denyLeft(app)).catch((error) =>
    app.log.error({ err: error }, 'Requests that were not judged could not be denied'),
  )
  return { close: () => undefined }
}

/** Forgets settled requests, with what the judge was told and said, as each workspace asks; returns how many. */
export function forgetOldRequests(app: App, most: number): number {
  let forgotten = 0
  for (const { workspace, before } of keptSince(app)) {
    if (forgotten === most) break
    forgotten += queries(app.db).forget.run({ workspace, before, most: most - forgotten }).changes
  }
  return forgotten
}

export const forgetRequests = (app: App): { close(): void } =>
  forgetDaily(app, 'Old requests to the judge', (most) => forgetOldRequests(app, most))
