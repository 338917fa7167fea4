import type { App } from '#kernel/app'
import { untilWritten } from '#kernel/store/until-written'
import { denyLeft } from './outcomes.ts'

/** At the start, denies what nobody judges any more. */
export function denyUnjudged(app: App): { close(): void } {
  void untilWritten(app, () => denyLeft(app)).catch((error) =>
    app.log.error({ err: error }, 'Requests that were not judged could not be denied'),
  )
  return { close: () => undefined }
}
