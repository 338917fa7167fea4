import type { App } from './app.ts'

/** Milliseconds until what failed is tried again: at once it would most likely fail again. */
export const pause = 60_000

/** The clock may be set meanwhile: who waits looks at it so often. */
const longest = 60_000

/** Runs `work` at that moment, or a minute from now if that comes first: who asked looks again then. */
export const timerAt = (app: App, at: number, work: () => void): NodeJS.Timeout =>
  setTimeout(work, Math.min(longest, Math.max(0, at - app.clock()))).unref()
