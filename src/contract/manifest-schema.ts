import { type TSchema, Type } from 'typebox'
import { line } from './fields.ts'
import {
  documentSlug,
  innerKinds,
  itemKeys,
  itemMembers,
  type KindName,
  type ManifestKind,
  manifestKinds,
  manifestVersion,
} from './manifest-kinds.ts'
import type { ManifestMembers } from './manifest-members.ts'

const closed = { additionalProperties: false }
const isOptional = (schema: TSchema) => '~optional' in schema

type Tree = { [name: string]: Tree | TSchema }
const isLeaf = (it: Tree | TSchema): it is TSchema => '~kind' in it || 'type' in it || 'enum' in it || 'anyOf' in it

function plant(tree: Tree, path: string, schema: TSchema): void {
  const [first, ...rest] = path.split('.') as [string, ...string[]]
  if (!rest.length) tree[first] = schema
  else {
    tree[first] ??= {}
    plant(tree[first] as Tree, rest.join('.'), schema)
  }
}

/** An object that must be there when something in it must. */
function grow(tree: Tree): TSchema {
  const members = Object.fromEntries(
    Object.entries(tree).map(([name, it]) => {
      if (isLeaf(it)) return [name, it]
      const inner = grow(it)
      const needed = Object.values((inner as unknown as { properties: Record<string, TSchema> }).properties)
      return [name, needed.every(isOptional) ? Type.Optional(inner) : inner]
    }),
  )
  return Type.Object(members, closed)
}

const treeOf = (members: ManifestMembers): Tree => {
  const tree: Tree = {}
  for (const [path, schema] of Object.values(members)) plant(tree, path, schema)
  return tree
}

/** What people may note of anything; it is read by people alone. */
const notes = {
  'metadata.author': Type.Optional(line(200)),
  'metadata.version': Type.Optional(line(50)),
  'metadata.license': Type.Optional(line(100)),
  'metadata.labels': Type.Optional(
    Type.Unsafe<Record<string, string>>({ type: 'object', additionalProperties: { type: 'string', maxLength: 200 } }),
  ),
}

const skillItem = Type.Object(
  {
    slug: documentSlug('Skill'),
    inline: manifestKinds.Skill.members.content[1],
    source: manifestKinds.Skill.members.source[1],
    digest: manifestKinds.Skill.members.digest[1],
    files: manifestKinds.Skill.members.files[1],
  },
  closed,
)

/** An item of a list within a document. */
function itemSchema(kind: string): TSchema {
  if (kind === 'Skill') return skillItem
  if (kind === 'Crew') return grow(bodyOf('Crew'))
  const tree = treeOf(itemMembers[kind]!)
  const [key, schema] = itemKeys[kind]!
  return grow({ [key]: schema, ...tree })
}

/** `metadata` and `spec` of a kind. */
function bodyOf(kind: KindName): Tree {
  const { members, lists = {} } = manifestKinds[kind] as ManifestKind
  const tree = treeOf(members)
  plant(tree, 'metadata.slug', documentSlug(kind))
  for (const [path, schema] of Object.entries(notes)) plant(tree, path, schema)
  for (const [path, item] of Object.entries(lists))
    plant(tree, path, Type.Optional(Type.Array(itemSchema(item), { maxItems: 2000 })))
  return tree
}

/** Kinds that documents may be of. */
export const documentKinds = (Object.keys(manifestKinds) as KindName[]).filter((kind) => !innerKinds.includes(kind))

const built = new Map<string, TSchema>()

/** The schema of a document of that kind. */
export function documentSchema(kind: KindName): TSchema {
  const known =
    built.get(kind) ?? grow({ apiVersion: Type.Literal(manifestVersion), kind: Type.Literal(kind), ...bodyOf(kind) })
  built.set(kind, known)
  return known
}

/** What the command line writes in place of files that a document names, for editors. */
const byFile: Readonly<Record<string, Record<string, TSchema>>> = {
  prompt: { prompt_file: Type.String({ description: 'File of the prompt, below the folder of the manifest' }) },
  inline: { path: Type.String({ description: 'Folder with a SKILL.md, below the folder of the manifest' }) },
}

/** The same schema as people write it: with files in place of what they hold. */
function asWritten(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(asWritten)
  if (typeof schema !== 'object' || schema === null) return schema
  const copy = Object.fromEntries(Object.entries(schema).map(([name, it]) => [name, asWritten(it)])) as {
    properties?: Record<string, unknown>
    required?: string[]
  }
  for (const [member, files] of Object.entries(byFile))
    if (copy.properties && member in copy.properties) {
      Object.assign(copy.properties, files)
      if (copy.required) copy.required = copy.required.filter((name) => name !== member)
    }
  return copy
}

/** JSON Schema of manifests, for editors. */
export const manifestSchema = (): Record<string, unknown> => ({
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'A workspace of Muster as files',
  type: 'object',
  required: ['apiVersion', 'kind', 'metadata'],
  properties: { apiVersion: { const: manifestVersion }, kind: { enum: documentKinds } },
  allOf: documentKinds.map((kind) => ({
    if: { properties: { kind: { const: kind } }, required: ['kind'] },
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
    then: asWritten(JSON.parse(JSON.stringify(documentSchema(kind)))),
  })),
})
