import type { Trying } from './changing.ts'

/** A file of this machine that a dry run would have changed. */
export interface Written {
  dry_run: true
  file: string
  changes: { member: string; before: string | null; after: string | null }[]
}

/** What would be written, member by member. Tokens are told apart, not shown. */
export function written(file: string, before: object, after: object): Written {
  const [old, now] = [flat(before), flat(after)]
  const members = [...new Set([...old.keys(), ...now.keys()])].filter((name) => old.get(name) !== now.get(name))
  const changes = members.map((member) => {
    const values = [old.get(member) ?? null, now.get(member) ?? null] as const
    const [was, is] = member.endsWith('.token') ? hidden(values) : values
    return { member, before: was, after: is }
  })
  return { dry_run: true, file, changes }
}

const hidden = ([before, after]: readonly (string | null)[]) =>
  [before && '[set]', after && (before ? '[another]' : '[set]')] as [string | null, string | null]

function flat(value: object, path = ''): Map<string, string> {
  const members = Object.entries(value).flatMap(([name, it]: [string, unknown]) =>
    typeof it === 'object' && it !== null
      ? [...flat(it, `${path}${name}.`)]
      : [[`${path}${name}`, String(it)] as const],
  )
  return new Map(members)
}

/** Changes what a file holds and stores it; in a dry run it is only told. */
export function changed<F extends object>(path: string, file: F, change: (file: F) => void, tried?: Trying): F {
  const before = structuredClone(file)
  change(file)
  tried?.(path, before, file)
  return file
}
