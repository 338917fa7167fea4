import type { Reply } from '#contract/define'
import { type ManifestKind, manifestKinds } from '#contract/manifest-kinds'
import type { manifests } from '#contract/manifests'
import type { Action } from './types.ts'

type Plan = Reply<typeof manifests.apply>
type Step = Plan['steps'][number]

/** Values that are longer are told by their size. */
const longest = 300

/** What is done, as people and programs read it. */
export function told(
  actions: readonly Action[],
  unchanged: number,
): Pick<Plan, 'steps' | 'created' | 'changed' | 'destroyed' | 'unchanged'> {
  const of = (what: Action['action']) => actions.filter(({ action }) => action === what).length
  return {
    steps: actions.map(stepOf),
    created: of('create'),
    changed: of('change'),
    destroyed: of('destroy'),
    unchanged,
  }
}

function stepOf({ action, kind, name, resource, stored, members }: Action): Step {
  const changes = Object.entries(members)
    .filter(([, value]) => action === 'change' || (value !== null && value !== undefined))
    .map(([member, to]) => {
      const from = stored?.members[member]
      return {
        member: placeOf(kind, member),
        ...(action === 'change' && from !== undefined && from !== null && { from: short(from) }),
        ...(to !== null && { to: short(to) }),
      }
    })
  return { action, kind, name, document: resource?.document ?? null, changes }
}

const placeOf = (kind: Action['kind'], member: string): string =>
  (manifestKinds[kind] as ManifestKind).members[member]?.[0] ?? member

function short(value: unknown): unknown {
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  if (text.length <= longest) return value
  return `${[...text].slice(0, 100).join('')}… (${Buffer.byteLength(text)} bytes)`
}
