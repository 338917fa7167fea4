import type { FailureKind } from './adapter.ts'

const kinds: Record<number, FailureKind> = {
  400: 'rejected',
  401: 'bad_key',
  402: 'quota',
  403: 'bad_key',
  404: 'unknown_model',
  413: 'rejected',
  429: 'quota',
}

/** What an HTTP status of a model service means; undefined when it tells nothing. */
export const kindOfStatus = (status: number): FailureKind | undefined =>
  kinds[status] ?? (status >= 500 ? 'overloaded' : undefined)
