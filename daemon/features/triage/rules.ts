import { RE2JS } from 're2js'
import type { MatchType } from '#contract/triage'

export type Matches = (title: string) => boolean

/**
 * How a rule reads titles. Regular expressions run in linear time, so that none can hold the daemon up; throws when one
 * cannot be read.
 */
export function matcher(pattern: string, type: MatchType): Matches {
  if (type === 'exact') return (title) => title === pattern
  if (type === 'contains') {
    const part = pattern.toLowerCase()
    return (title) => title.toLowerCase().includes(part)
  }
  const compiled = RE2JS.compile(pattern)
  return (title) => compiled.matcher(title).find()
}
