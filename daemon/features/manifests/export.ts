import { itemMembers, type KindName, type ManifestKind, manifestKinds, manifestVersion } from '#contract/manifest-kinds'
import type { ManifestMembers } from '#contract/manifest-members'
import { isSlug, slugOf } from '#kernel/slugs'
import type { State } from './plan.ts'
import type { Members, Stored } from './types.ts'

type Json = Record<string, unknown>

/** Kinds that stand within the documents of others. */
const within: readonly KindName[] = ['Agent', 'Credential', 'Integration', 'NotificationChannel']

/** Members by which a thing is compared and that its document does not say. */
const implied = ['digest']

/** The documents that say what is stored; applied to an empty workspace they make the same. */
export function documentsOf(state: State): Json[] {
  const all = (kind: KindName) => [...state.get(kind)!.values()].filter(({ settled }) => !settled)
  const documents = (Object.keys(manifestKinds) as KindName[])
    .filter((kind) => !within.includes(kind))
    .flatMap((kind) => all(kind).map((it) => documentOf(kind, it, listsOf(kind, it, state))))
  const alone = (kind: KindName) =>
    all(kind)
      .filter(({ members }) => !members['crew'])
      .map((it) => documentOf(kind, it, {}))
  return [...documents, ...alone('Agent'), ...alone('Integration')]
}

function listsOf(kind: KindName, { name }: Stored, state: State): Json {
  const credentials = [...state.get('Credential')!.values()]
  const items = (found: Stored[], key: string, of: string) =>
    found.map((it) => ({ [key]: it.members[key] ?? it.name, ...leafs(itemMembers[of]!, it.members) }))
  if (kind === 'Workspace')
    return {
      'spec.credentials': items(
        credentials.filter(({ members }) => members['crews'] === null),
        'env',
        'Credential',
      ),
      'spec.notification_channels': items(
        [...state.get('NotificationChannel')!.values()],
        'slug',
        'NotificationChannel',
      ),
    }
  if (kind !== 'Crew') return {}
  const isOf = ({ members }: Stored) => ((members['crews'] as string[] | null) ?? []).includes(name)
  const inCrew = (of: KindName) => [...state.get(of)!.values()].filter(({ members }) => members['crew'] === name)
  return {
    'spec.credentials': items(credentials.filter(isOf), 'env', 'Credential'),
    'spec.agents': items(inCrew('Agent'), 'slug', 'Agent'),
    'spec.mcp_servers': items(inCrew('Integration'), 'name', 'Integration'),
  }
}

function documentOf(kind: KindName, { name, members }: Stored, lists: Json): Json {
  const { members: table } = manifestKinds[kind] as ManifestKind
  const document: Json = { apiVersion: manifestVersion, kind, metadata: {} }
  put(document, 'metadata.name', members['name'])
  put(document, 'metadata.slug', slugFor(kind, name, members))
  for (const [member, [path]] of Object.entries(table))
    if (!implied.includes(member)) put(document, path, members[member])
  for (const [path, list] of Object.entries(lists)) put(document, path, list)
  return document
}

const slugged: readonly KindName[] = ['Routine', 'Skill']

function slugFor(kind: KindName, name: string, members: Members): string {
  if (slugged.includes(kind) || isSlug(name)) return name
  return slugOf(String(members['name'] ?? name), 'unnamed')
}

/** The members that say something, by their places. */
function leafs(table: ManifestMembers, members: Members): Json {
  const tree: Json = {}
  for (const [member, [path]] of Object.entries(table)) put(tree, path, members[member])
  return tree
}

function put(tree: Json, path: string, value: unknown): void {
  if (value === null || value === undefined || (Array.isArray(value) && !value.length)) return
  const [first, ...rest] = path.split('.') as [string, ...string[]]
  if (!rest.length) tree[first] = value
  else {
    tree[first] ??= {}
    put(tree[first] as Json, rest.join('.'), value)
  }
}
