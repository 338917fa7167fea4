import {
  itemKeys,
  itemMembers,
  type KindName,
  laterKinds,
  type ManifestKind,
  type ManifestMembers,
  manifestKinds,
  manifestVersion,
} from '#contract/manifest-kinds'
import { documentKinds, documentSchema } from '#contract/manifest-schema'
import { schemaFlaws } from './flaws.ts'
import { turns } from './turns.ts'
import type { Flaw, Members, Path, Resource } from './types.ts'

/** What documents say, or what is wrong with them. */
export interface Read {
  resources: Resource[]
  flaws: Flaw[]
  /** Crews whose agents are all named. */
  whole: Set<string>
}

type Json = Record<string, unknown>

/** Reads documents as a whole: all mistakes, or all that they say. */
export async function readDocuments(documents: readonly Json[]): Promise<Read> {
  const read: Read = { resources: [], flaws: [], whole: new Set() }
  const others = turns()
  for (const [index, document] of documents.entries()) {
    readDocument(read, index, document)
    await others()
  }
  checkNames(read)
  return read
}

function readDocument(read: Read, index: number, document: Json): void {
  const flaw = (path: Path, detail: string) => read.flaws.push({ document: index, path, detail })
  const { kind } = document
  if ((laterKinds as readonly unknown[]).includes(kind)) flaw(['kind'], `This version does not take the kind ${kind}`)
  else if (!documentKinds.includes(kind as KindName)) flaw(['kind'], `kind must be one of ${documentKinds.join(', ')}`)
  else {
    const flaws = schemaFlaws(documentSchema(kind as KindName), document)
    for (const { path, detail } of flaws)
      flaw(path, path[0] === 'apiVersion' ? `apiVersion must be ${manifestVersion}` : detail)
    if (!flaws.length) take(read, { document: index, kind: kind as KindName, value: document, at: [] })
  }
}

interface Taken {
  document: number
  kind: KindName
  value: Json
  at: Path
}

/** Takes what a document, or an item with `metadata` and `spec`, says. */
function take(read: Read, { document, kind, value, at }: Taken): void {
  const { members, lists = {} } = manifestKinds[kind] as ManifestKind
  const slug = valueAt(value, 'metadata.slug') as string
  const resource = resourceOf({ document, kind, value, at }, members, slug)
  read.resources.push(resource)
  for (const [path, item] of Object.entries(lists)) {
    const list = valueAt(value, path) as Json[] | undefined
    if (!list) continue
    const below: Path = [...at, ...path.split('.')]
    for (const [n, it] of list.entries()) takeItem(read, resource, item, { document, value: it, at: [...below, n] })
    if (kind === 'Crew' && item === 'Agent') read.whole.add(resource.name)
  }
  if (kind === 'Crew') shareSkills(read, resource, (valueAt(value, 'spec.skills') as Json[] | undefined) ?? [])
}

type Item = Omit<Taken, 'kind'>

function takeItem(read: Read, owner: Resource, kind: string, item: Item): void {
  if (kind === 'Crew') take(read, { ...item, kind })
  else if (kind === 'Skill') takeSkill(read, item)
  else takeListed(read, owner, kind, item)
}

function takeListed(read: Read, owner: Resource, kind: string, item: Item): void {
  const [key] = itemKeys[kind]!
  const resource = resourceOf({ ...item, kind: kind as KindName }, itemMembers[kind]!, item.value[key] as string)
  resource.nameAt = [...item.at, key]
  const crew = owner.kind === 'Crew' ? owner.name : null
  if (kind === 'Agent') resource.members['crew'] = crew
  if (kind === 'Credential') takeCredential(read, resource, crew)
  else read.resources.push(resource)
}

/** A skill that is only named is none that is applied. */
function takeSkill(read: Read, { document, value, at }: Item): void {
  const { slug, inline, files } = value
  if (inline === undefined) return
  const members = { content: inline, ...(files !== undefined && { files }) }
  const paths = { content: [...at, 'inline'], files: [...at, 'files'] }
  read.resources.push({ kind: 'Skill', name: slug as string, document, nameAt: [...at, 'slug'], paths, members })
}

/** Several crews may ask for the same credential. */
function takeCredential({ resources }: Read, resource: Resource, crew: string | null): void {
  const known = resources.find(({ kind, name }) => kind === 'Credential' && name === resource.name)
  const crews = crew ? [crew] : null
  if (!known) resources.push({ ...resource, members: { ...resource.members, crews } })
  else {
    const before = known.members['crews'] as string[] | null
    known.members['crews'] = before && crews ? [...new Set([...before, ...crews])].sort() : null
  }
}

/** The skills of a crew are skills of each of its agents. */
function shareSkills({ resources }: Read, { name, document }: Resource, skills: readonly Json[]): void {
  const slugs = skills.map(({ slug }) => slug as string)
  if (!slugs.length) return
  for (const { kind, members, document: where } of resources)
    if (kind === 'Agent' && where === document && members['crew'] === name)
      members['skills'] = [...new Set([...((members['skills'] as string[] | undefined) ?? []), ...slugs])].sort()
}

/** Kinds that are stored without a slug of their own are called by their names. */
const called = ['Label', 'Project', 'Milestone', 'WorkflowTemplate', 'TriageRule']

function resourceOf({ document, kind, value, at }: Taken, table: ManifestMembers, slug: string): Resource {
  const members: Members = {}
  const paths: Record<string, Path> = {}
  for (const [member, [path]] of Object.entries(table)) {
    paths[member] = [...at, ...path.split('.')]
    const given = valueAt(value, path)
    if (given !== undefined) members[member] = tidy(given)
  }
  const label = (members['name'] as string | null | undefined) ?? slug
  const own = called.includes(kind) ? label.normalize('NFC').trim() : slug
  if (called.includes(kind)) members['name'] = own
  const name = kind === 'Milestone' ? `${members['project'] as string}/${own}` : own
  const nameAt = called.includes(kind) ? paths['name']! : [...at, 'metadata', 'slug']
  return { kind, name, document, nameAt, paths, members }
}

/** Blank text means "none", and lists of names have no order. */
const tidy = (value: unknown): unknown =>
  value === '' ? null : Array.isArray(value) && value.every((it) => typeof it === 'string') ? [...value].sort() : value

function valueAt(value: Json, path: string): unknown {
  let found: unknown = value
  for (const name of path.split('.')) found = (found as Json | null | undefined)?.[name]
  return found
}

/** Refuses what is said twice. */
function checkNames({ resources, flaws }: Read): void {
  const seen = new Map<string, Resource>()
  for (const resource of resources) {
    const key = `${resource.kind} ${resource.name}`
    const before = seen.get(key)
    if (!before) seen.set(key, resource)
    else if (!sameSkill(before, resource))
      flaws.push({
        document: resource.document,
        path: resource.nameAt,
        detail: `${resource.kind} ${resource.name} is described twice`,
      })
  }
  const kept = new Set(seen.values())
  resources.splice(0, resources.length, ...resources.filter((it) => kept.has(it)))
}

const sameSkill = (one: Resource, other: Resource): boolean =>
  one.kind === 'Skill' && JSON.stringify(one.members) === JSON.stringify(other.members)
