import { hash } from 'node:crypto'
import { type Acting, fact, type Payload } from '#contract/entries'
import { type MemoryTier, memoryRoom, type Written } from '#contract/memory'
import type { App } from '#kernel/app'
import { isVisible } from '#kernel/http/fields'
import { newId } from '#kernel/ids'
import { type Problem, problem } from '#kernel/problem'
import { refusedText } from './guard.ts'
import { capOf, kindOf } from './names.ts'
import { type File, type FileRow, queries, type Version } from './queries.ts'
import { indexFile } from './search/indexing.ts'

export { refusedText } from './guard.ts'
export { learnedDayOf } from './names.ts'
export type { File, FileRow, Version }

/** A text of an agent, a crew or a workspace. `path` is how people name it. */
export interface Place {
  workspace_id: string
  tier: MemoryTier
  owner_id: string
  /** The crew whose text it is, or whose agent's. */
  crew_id?: string | null
  name: string
  path: string
}

export const shaOf = (content: string): string => hash('sha256', content, 'hex')

export const readFile = ({ db }: App, owner: string, name: string): File | undefined =>
  queries(db).find.get(owner, name)

/** Makes this the text, as a new version of it. The text that stands there already makes none, and has no `version`. */
export function writeFile(
  app: App,
  place: Place,
  content: string,
  by: string,
  now: string,
): File & { version?: string } {
  const { workspace_id, tier, owner_id, name, path } = place
  const before = readFile(app, owner_id, name)
  const sha256 = shaOf(content)
  if (before?.sha256 === sha256) return before
  const { keep, insert, set } = queries(app.db)
  const written = {
    workspace_id,
    owner_id,
    name,
    sha256,
    bytes: Buffer.byteLength(content),
    written_at: now,
    written_by: by,
  }
  const version = `mv_${newId(app.clock())}`
  keep.run({ workspace_id, sha256, content })
  insert.run({
    ...written,
    id: version,
    tier: kindOf(tier, name),
    path,
    parent_sha: before?.sha256 ?? null,
  })
  const { number } = set.get({ ...written, tier })!
  indexFile(app, { number, workspace_id, owner_id, name }, content)
  return { content, sha256, written_at: now, version }
}

/** Removes the text; its versions stay. False when there is none. */
export const removeFile = ({ db }: App, owner: string, name: string): boolean =>
  queries(db).remove.run(owner, name).changes > 0

/** Removes all texts of an agent or a crew that is gone; their versions stay. */
export const removeFilesOf = ({ db }: App, owner: string): void => void queries(db).removeAll.run(owner)

/** The versions of a text, newest first. */
export const versionsOf = ({ db }: App, owner: string, name: string, limit: number): Version[] =>
  queries(db).versions.all(owner, name, limit)

/** The texts that an owner has now, by name. */
export const filesOf = ({ db }: App, owner: string): FileRow[] => queries(db).ofOwner.all(owner)

/** A digest of all texts that an owner has now; null where there are none. */
export function digestOf(app: App, owner: string): string | null {
  const texts = filesOf(app, owner)
  if (!texts.length) return null
  return hash('sha256', texts.map(({ name, sha256 }) => `${name}\0${sha256}\n`).join(''), 'hex')
}

interface Storing {
  actor: Acting
  action: Action
  /** Hash of the text that is to be replaced; empty where there must be none. */
  expected?: string | undefined
  /** The text was looked through before the change, and holds nothing that is refused. */
  judged?: true
  now: string
}

const aboutOf = ({ workspace_id, crew_id, tier, owner_id }: Place, actor: Acting) => ({
  workspace_id,
  ...(crew_id && { crew_id }),
  ...(tier === 'agent' && { agent_id: owner_id }),
  ...actor,
})

/**
 * Writes a text of somebody's memory within its rules: size, room, nothing that models must not be given. What is
 * refused is recorded, and returned rather than thrown, so that the record stays.
 */
export function store(
  app: App,
  place: Place,
  given: string,
  { actor, action, expected, judged, now }: Storing,
): Written | Problem {
  const content = Buffer.from(given).toString()
  const before = queries(app.db).row.get(place.owner_id, place.name)
  if (expected !== undefined && expected !== (before?.sha256 ?? ''))
    throw problem('memory_changed', {
      field: 'parent_sha',
      detail: `${place.path} ${before ? 'is another text' : 'is not there'} now: read it again`,
      extra: { sha256: before?.sha256 ?? '' },
    })
  if (!isVisible(content)) throw problem('invalid_field', { field: 'content', detail: 'content must not be blank' })
  const refused = judge(app, place, content, judged)
  if (refused) {
    noteRefusal(app, place, actor, refused, Buffer.byteLength(content))
    return refused.answer
  }
  const by = actor.actor_id ?? 'system'
  const { sha256, version } = writeFile(app, place, content, by, now)
  const bytes = Buffer.byteLength(content)
  const parent = before && { parent_sha: before.sha256 }
  const changed = version !== undefined
  const { path, tier, name } = place
  if (changed) {
    const what = { ...toldOf(place, action, actor), sha256, bytes, version_id: version, ...parent }
    app.journal(fact('memory.updated', what, aboutOf(place, actor)))
  }
  const cap_bytes = capOf(tier, name)
  const full = bytes >= cap_bytes * 0.8
  return {
    path,
    sha256,
    bytes,
    cap_bytes,
    changed,
    ...(changed && parent),
    ...(full && { warning: `${bytes} of ${cap_bytes} bytes are used: shorten it before it is full` }),
  }
}

type Action = Payload<'memory.updated'>['action']

const sourceOf: Partial<Record<Action, Payload<'memory.updated'>['source']>> = {
  import: 'import',
  restore: 'restore',
  merge: 'consolidation',
  unlearn: 'consolidation',
}

/** What the journal says of a text that changed, whatever the change was. */
function toldOf({ path, tier }: Place, action: Action, { actor_type }: Acting) {
  const agent_slug = /^agent:([^/]+)\//.exec(path)?.[1]
  const source = sourceOf[action] ?? (actor_type === 'agent' || actor_type === 'user' ? actor_type : 'system')
  return { path, tier, action, source, ...(agent_slug !== undefined && { agent_slug }) }
}

interface Verdict {
  reason: 'secret' | 'injection' | 'cap'
  what: string
  /** Bytes that there may be at most. */
  limit: number
  answer: Problem
}

function noteRefusal(app: App, place: Place, actor: Acting, { reason, what, limit }: Verdict, attempted: number): void {
  const { path, tier, name: file } = place
  const about = aboutOf(place, actor)
  if (reason === 'injection')
    return void app.journal(
      fact('memory.write_verifier_blocked', { path, tier, file, kind: reason, detail: what }, about),
    )
  const sizes = { bytes_attempted: attempted, bytes_limit: limit }
  const payload = { path, tier, file, reason: reason === 'cap' ? reason : 'scrubber', what, ...sizes } as const
  app.journal(fact('memory.write_rejected', payload, about))
}

function judge(app: App, { owner_id, tier, name, path }: Place, content: string, judged = false): Verdict | null {
  const bytes = Buffer.byteLength(content)
  const cap = capOf(tier, name)
  const tooLarge = (limit: number, what: string): Verdict => ({
    reason: 'cap',
    what,
    limit,
    answer: problem('body_too_large', { field: 'content', detail: what }),
  })
  if (bytes > cap) return tooLarge(cap, `${path} has at most ${cap} bytes; this would be ${bytes}`)
  const others = queries(app.db).room.get(owner_id, name)!
  if (others.bytes + bytes > memoryRoom.bytes)
    return tooLarge(
      memoryRoom.bytes,
      `All files together have at most ${memoryRoom.bytes} bytes; this would be ${others.bytes + bytes}`,
    )
  if (others.files >= memoryRoom.files) return tooLarge(cap, `There are ${others.files} files: remove some first`)
  const refused = judged ? null : refusedText(content)
  if (!refused) return null
  const { reason, line, what } = refused
  const detail = `Line ${line} of the text is or holds ${what}: models would be given it in every run`
  return {
    reason,
    what,
    limit: cap,
    answer: problem('memory_refused', { field: 'content', detail, extra: { reason, line } }),
  }
}

/** What a file is once something is added to its end. */
export function appended(app: App, { owner_id, name }: Place, content: string): string {
  const before = readFile(app, owner_id, name)?.content ?? ''
  const between = before === '' || before.endsWith('\n') ? '' : '\n'
  return `${before}${between}${content}${content.endsWith('\n') ? '' : '\n'}`
}

/** Removes a text; false when there is none. */
export function discard(app: App, place: Place, actor: Acting): boolean {
  if (!removeFile(app, place.owner_id, place.name)) return false
  app.journal(fact('memory.updated', toldOf(place, 'remove', actor), aboutOf(place, actor)))
  return true
}
