import { cited, namesOf } from '#kernel/templates'
import { useNamed } from '../../credentials/named/service.ts'
import type { Beginning } from './types.ts'

/** What a step asks for cannot be done, and why. */
export class Refused extends Error {}

/** The names of the secrets that a part of a step cites. */
export const citedSecrets = (part: unknown, ...more: (string | undefined)[]): ReadonlySet<string> =>
  new Set([
    ...cited(part)
      .map(namesOf)
      .flatMap(([root, name]) => (root === 'secrets' ? [name!] : [])),
    ...more.filter((name) => name !== undefined),
  ])

/** The secrets of these names, as far as the definition declares them; their use is put on record. */
export function secretsFor(
  { app, run, definition, step }: Pick<Beginning, 'app' | 'run' | 'definition' | 'step'>,
  names: ReadonlySet<string>,
): Map<string, string> {
  const declared = new Set((definition.credentials_required ?? []).map(({ type }) => type))
  const usable = { workspace: run.workspace_id, crew: run.crew_id }
  const use = { routine: run.routine_slug, run_id: run.id, step: step.id }
  return new Map(
    [...names].map((name) => {
      const value = declared.has(name) ? useNamed(app, { ...usable, name }, { actor_type: 'orchestrator' }, use) : null
      if (value === null) throw new Refused(`The credential "${name}" is missing`)
      return [name, value]
    }),
  )
}

/** A value without the secrets that were given away, which an answer may echo. */
export function without<T>(value: T, secrets: readonly string[]): T {
  const long = secrets.filter((it) => it.length >= 4)
  if (!long.length) return value
  const text = long.reduce(
    (all, one) => all.replaceAll(JSON.stringify(one).slice(1, -1), '[REDACTED]'),
    JSON.stringify(value),
  )
  return JSON.parse(text) as T
}
