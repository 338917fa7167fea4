import type { Destination } from '#kernel/outbound/destinations'
import { cited, namesOf } from '#kernel/templates'
import { tierOf } from '../../credentials/levels/service.ts'
import { type Named, useNamed } from '../../credentials/named/service.ts'
import { wish } from '../../credentials/questions/service.ts'
import { countHanded, isEnforced } from '../../credentials/scopes/service.ts'
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

type Using = Pick<Beginning, 'app' | 'run' | 'definition' | 'step'>

/** The secrets of these names, as far as the definition declares them; their use is put on record. */
export function namedFor({ app, run, definition, step }: Using, names: ReadonlySet<string>): Map<string, Named> {
  const declared = new Set((definition.credentials_required ?? []).map(({ type }) => type))
  const usable = { workspace: run.workspace_id, crew: run.crew_id }
  const use = { routine: run.routine_slug, run_id: run.id, step: step.id }
  return new Map(
    [...names].map((name) => {
      const named = declared.has(name) ? useNamed(app, { ...usable, name }, { actor_type: 'orchestrator' }, use) : null
      if (named === null) throw new Refused(`The credential "${name}" is missing`)
      return [name, named]
    }),
  )
}

/** The values of these secrets for a program, whose use of them nobody sees; none that is guarded or scoped. */
export function secretsFor(it: Using, names: ReadonlySet<string>): Map<string, string> {
  const all = namedFor(it, names)
  for (const [name, { id, level }] of all) {
    if (isEnforced(it.app, id))
      throw new Refused(`The credential "${name}" is kept to its scopes, so no program is given its value`)
    if (!tierOf(level).delivered)
      throw new Refused(`The credential "${name}" is ${tierOf(level).label}, so no program is given its value unasked`)
  }
  countHanded(
    it.app,
    [...all.values()].map(({ id }) => id),
  )
  return valuesOf(all)
}

export const valuesOf = (all: ReadonlyMap<string, Named>): Map<string, string> =>
  new Map([...all].map(([name, { value }]) => [name, value]))

/** Lets secrets be sent somewhere, as far as their scopes or people allow it; a step is refused otherwise. */
export async function permitSecrets(
  { app, run }: Pick<Using, 'app' | 'run'>,
  secrets: ReadonlyMap<string, Named>,
  to: Destination,
): Promise<void> {
  const asking = {
    workspace: run.workspace_id,
    to,
    agent: null,
    asker: { id: run.routine_id, name: run.routine_name },
    crew: run.crew_id,
    run: run.id,
  }
  const refused = await app.write(() =>
    [...secrets.values()].map(({ id }) => wish(app, { ...asking, credential: id })).find(({ allowed }) => !allowed),
  )
  if (refused && !refused.allowed) throw new Refused(refused.detail)
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
