import type { App } from '#kernel/app'

/** What failed of an erasure. The first failure is told to the caller; the log has all. */
export interface Failures {
  /** What `work` gives; undefined when it failed. A daemon that stops is no failure of a part. */
  unless<T>(part: string, work: () => Promise<T>): Promise<T | undefined>
  first(): string | undefined
}

export function createFailures({ log, stopping }: Pick<App, 'log' | 'stopping'>): Failures {
  let first: string | undefined
  return {
    async unless(part, work) {
      try {
        return await work()
      } catch (error) {
        if (stopping.signal.aborted) throw error
        log.error({ err: error, part }, 'A part of an erasure failed')
        first ??= `${part} could not be erased: ${reasonOf(error)}`
        return undefined
      }
    },
    first: () => first,
  }
}

/** A code and no words: what a database says of a row may name people. */
const reasonOf = (error: unknown): string => String((error as { code?: unknown }).code ?? 'internal')
