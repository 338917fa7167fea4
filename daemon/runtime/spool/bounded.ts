import { setTimeout as delay } from 'node:timers/promises'
import { RuntimeError } from '../errors.ts'

const graceMs = 5000

/** What stands before a program that may run for so long. */
export const bounded = (seconds: number): string[] => ['timeout', '-k', '1', String(seconds)]

/** Waits for a program that `bounded` ends, unless somebody keeps it from that. */
export async function inTime<T>(work: Promise<T>, seconds: number): Promise<T> {
  const late = new AbortController()
  const limit = delay(seconds * 1000 + graceMs, undefined, { signal: late.signal }).then(() => {
    throw new RuntimeError('refused', `There was no answer within ${seconds} s`)
  })
  limit.catch(() => {})
  return Promise.race([work, limit]).finally(() => late.abort())
}
