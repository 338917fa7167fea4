import { load } from './load.mjs'

const camel = (name) => name.replace(/-(.)/g, (_, letter) => letter.toUpperCase())

/**
 * The members of what each command answers, from the contract: of the operations that it is named after, or of what its
 * `static result` says. Null where it may be anything.
 */
export async function readMembers() {
  const { api, host } = await load(
    'export { api } from "./src/contract/index.ts"; export { host } from "./src/contract/host.ts"',
  )
  const replies = new Map([
    ...Object.entries(api).flatMap(([feature, operations]) =>
      Object.entries(operations).map(([name, { reply }]) => [`${feature}.${name}`, reply]),
    ),
    ...Object.entries(host).map(([verb, { answers }]) => [`admin.${verb}`, answers]),
  ])
  return (id, { aliases = [], hiddenAliases = [], result }) => {
    if (result?.any) return null
    const named = [id, ...aliases, ...hiddenAliases].flatMap((name) => [
      name.replaceAll(':', '.'),
      name.split(':').map(camel).join('.'),
    ])
    const of = result ? (result.of ?? []) : [...new Set(named)].filter((name) => replies.has(name))
    const missing = of.filter((name) => !replies.has(name))
    if (missing.length) throw new Error(`${id}: there is no operation ${missing.join(', ')}`)
    return membersOf(
      of.map((name) => replies.get(name)),
      result?.members ?? [],
    )
  }
}

function membersOf(schemas, more) {
  const given = schemas.filter(Boolean)
  const of = [...new Set([...given.flatMap((schema) => pathsOf(schema.items ?? schema)), ...more])]
  const rows = given.flatMap((schema) => rowOf(schema)).flatMap((row) => pathsOf(row))
  return { of, ...(rows.length && { rows: [...new Set([...rows, ...more])] }) }
}

/** What the rows of a list are: a reply that is one, or that holds one. */
function rowOf(schema) {
  if (schema.items) return [schema.items]
  const lists = Object.values(schema.properties ?? {}).filter(({ items }) => items && pathsOf(items).length)
  return lists.length === 1 ? [lists[0].items] : []
}

/** Members as `a` and `a.b`; `a.*` where there may be any. */
function pathsOf(schema, depth = 0) {
  const kinds = schema.anyOf ?? schema.allOf
  if (kinds) return [...new Set(kinds.flatMap((it) => pathsOf(it, depth)))]
  if (schema.properties)
    return Object.entries(schema.properties).flatMap(([name, member]) => [
      name,
      ...(depth < 3 ? pathsOf(member, depth + 1).map((path) => `${name}.${path}`) : []),
    ])
  const isOpen = schema.type === 'object' || (schema.type === undefined && !('const' in schema) && !schema.enum)
  return isOpen ? ['*'] : []
}
