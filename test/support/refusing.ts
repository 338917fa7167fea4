import type { App } from '#kernel/app'

/** A database that takes no writes, as one whose disk turned read-only, until it is mended. */
export function refuseWrites({ db, storage }: App): { mend(): Promise<void> } {
  db.pragma('query_only = ON')
  return {
    async mend() {
      db.pragma('query_only = OFF')
      await storage.working(new AbortController().signal)
    },
  }
}
