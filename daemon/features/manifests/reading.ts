import {
  itemKeys,
  itemMembers,
  type KindName,
  laterKinds,
  laterMembers,
  type ManifestKind,
  manifestKinds,
  manifestVersion,
} from '#contract/manifest-kinds'
import type { ManifestMembers } from '#contract/manifest-members'
import { documentKinds, documentSchema } from '#contract/manifest-schema'
import { schemaFlaws } from './flaws.ts'
import { partsOfRecipe } from './recipes.ts'
import { tidy } from './tidying.ts'
import { turns } from './turns.ts'
import type { Flaw, Members, Path, Resource } from './types.ts'

/** What documents say, or what is wrong with them. */
export interface Read {
  resources: Resource[]
  flaws: Flaw[]
  /** Kinds and crews, such as `Agent web`: all of that kind in that crew are named. */
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
  const later = typeof kind === 'string' && Object.hasOwn(laterKinds, kind) ? laterKinds[kind] : undefined
  if (later) flaw(['kind'], `The kind ${kind} is not taken. ${later}`)
  else if (!documentKinds.includes(kind as KindName)) flaw(['kind'], `kind must be one of ${documentKinds.join(', ')}`)
  else {
    const flaws = schemaFlaws(documentSchema(kind as KindName), document)
    for (const { path, detail } of flaws)
      flaw(path, path[0] === 'apiVersion' ? `apiVersion must be ${manifestVersion}` : (refusal(path, detail) ?? detail))
    if (!flaws.length) take(read, { document: index, kind: kind as KindName, value: document, at: [] })
  }
}

/** Why a member of the full format is not taken. */
function refusal(path: Path, detail: string): string | undefined {
  if (!detail.endsWith('is unknown here')) return undefined
  const place = path.filter((it) => typeof it === 'string').join('.')
  const later = Object.entries(laterMembers).find(([name]) => place === name || place.endsWith(`.${name}`))
  return later && `${path.join('.')} is not taken. ${later[1]}`
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
  if (kind === 'Recipe') {
    takeRecipe(read, resource)
    return
  }
  if (kind === 'Skill') checkSkill(read, resource)
  read.resources.push(resource)
  for (const [path, item] of Object.entries(lists)) {
    const list = valueAt(value, path) as Json[] | undefined
    if (!list) continue
    const below: Path = [...at, ...path.split('.')]
    for (const [n, it] of list.entries()) takeItem(read, resource, item, { document, value: it, at: [...below, n] })
    if (kind === 'Crew' && wholeLists.includes(item)) read.whole.add(`${item} ${resource.name}`)
  }
  if (kind === 'Crew') shareSkills(read, resource, (valueAt(value, 'spec.skills') as Json[] | undefined) ?? [])
}

/** Lists of a crew that name all that the crew has. */
const wholeLists = ['Agent', 'Integration']

/** A recipe is its parts: its crew, the servers of it, and the credentials that they need. */
function takeRecipe(read: Read, { name, document, nameAt, members }: Resource): void {
  const parts = partsOfRecipe(name, members['crew'] as string | undefined)
  if (!parts) read.flaws.push({ document, path: nameAt, detail: `There is no recipe "${name}"` })
  for (const part of parts ?? []) {
    const paths = Object.fromEntries(Object.keys(part.members).map((member) => [member, nameAt]))
    const resource: Resource = { ...part, document, nameAt, paths, ofRecipe: true }
    if (part.kind === 'Credential') takeCredential(read, resource, null)
    else read.resources.push(resource)
  }
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
  if (kind === 'Agent' || kind === 'Integration') resource.members['crew'] = crew
  if (kind === 'Integration') resource.name = serverName(crew, resource.name)
  if (kind === 'Credential') takeCredential(read, resource, crew)
  else read.resources.push(resource)
}

/** A skill that is only named is none that is applied. */
function takeSkill(read: Read, { document, value, at }: Item): void {
  const { slug, inline, source, digest, files } = value
  if (inline === undefined && source === undefined && digest === undefined && files === undefined) return
  const given = { content: inline, source, digest, files }
  const members = Object.fromEntries(Object.entries(given).filter(([, it]) => it !== undefined))
  const paths = {
    content: [...at, 'inline'],
    source: [...at, 'source'],
    digest: [...at, 'digest'],
    files: [...at, 'files'],
  }
  const resource: Resource = { kind: 'Skill', name: slug as string, document, nameAt: [...at, 'slug'], paths, members }
  checkSkill(read, resource)
  read.resources.push(resource)
}

/** A skill is its text, or an address with the digest of the text that must stand there. */
function checkSkill({ flaws }: Read, { document, nameAt, paths, members }: Resource): void {
  const { content, source, digest, files } = members
  const flaw = (path: Path, detail: string) => flaws.push({ document, path, detail })
  if (content === undefined && source === undefined) flaw(nameAt, 'Give its text in inline, path or source')
  else if (content !== undefined && source !== undefined) flaw(paths['source']!, 'Give one of inline, path and source')
  else if (source !== undefined && digest === undefined)
    flaw(paths['source']!, 'Give the digest of the text too: what stands at an address may change')
  else if (source === undefined && digest !== undefined) flaw(paths['digest']!, 'A digest belongs to a source')
  else if (source !== undefined && files !== undefined) flaw(paths['files']!, 'Files stand beside a text, not a source')
}

/** Several crews may ask for the same credential. */
function takeCredential({ resources }: Read, resource: Resource, crew: string | null): void {
  const at = resources.findIndex(({ kind, name }) => kind === 'Credential' && name === resource.name)
  const known = resources[at]
  const crews = crew ? [crew] : null
  if (!known) resources.push({ ...resource, members: { ...resource.members, crews } })
  else if (known.asFound) resources[at] = { ...resource, members: { ...resource.members, crews } }
  else if (!resource.asFound) {
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
const called = ['Label', 'Project', 'Milestone', 'WorkflowTemplate', 'TriageRule', 'Integration']

/** What a server is called by: one of the workspace by its name, one of a crew with its crew before it. */
const serverName = (crew: unknown, name: string): string => (crew ? `${crew as string}/${name}` : name)

function resourceOf({ document, kind, value, at }: Taken, table: ManifestMembers, slug: string): Resource {
  const members: Members = {}
  const paths: Record<string, Path> = {}
  for (const [member, [path]] of Object.entries(table)) {
    paths[member] = [...at, ...path.split('.')]
    const given = valueAt(value, path)
    if (given !== undefined) members[member] = tidy(member, given)
  }
  const label = (members['name'] as string | null | undefined) ?? slug
  const own = called.includes(kind) ? label.normalize('NFC').trim() : slug
  if (called.includes(kind)) members['name'] = own
  if (kind === 'Issue') members['title'] ??= slug
  const name =
    kind === 'Milestone'
      ? `${members['project'] as string}/${own}`
      : kind === 'Integration'
        ? serverName(members['crew'], own)
        : own
  const nameAt = called.includes(kind) ? paths['name']! : [...at, 'metadata', 'slug']
  return { kind, name, document, nameAt, paths, members }
}

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
