import type { BackupLine } from '#contract/backup-host'

/** Tells whoever asked how far the work is, at most ten times a second. */
export interface Say {
  counting(doing: string, of?: number): (done: number) => void
  doing(what: string): void
}

const pauseMs = 100

export function sayTo(write: (line: BackupLine) => void): Say {
  let last = 0
  const say = (doing: string, done: number, of: number) => write({ progress: { doing, done, of } })
  return {
    doing: (what) => say(what, 0, 0),
    counting: (doing, of = 0) => {
      say(doing, 0, of)
      return (done) => {
        const now = performance.now()
        if (now - last < pauseMs) return
        last = now
        say(doing, done, of)
      }
    },
  }
}
