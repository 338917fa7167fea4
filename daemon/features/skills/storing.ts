import { fact } from '#contract/entries'
import { mostSkills, skillMaturities } from '#contract/skills'
import type { App } from '#kernel/app'
import { actorOf } from '#kernel/dispatch'
import type { Actor } from '#kernel/feature'
import { newId } from '#kernel/ids'
import { problem } from '#kernel/problem'
import { checkedFiles, type SkillFile, sha256 } from './files.ts'
import { readSkill, type SkillText } from './format.ts'
import { openLicense } from './license.ts'
import { queries, type Row } from './queries.ts'
import { type Scan, scanSkill } from './scan.ts'

/** A skill that was read and looked through, and not stored yet. */
export interface Read {
  content: string
  text: SkillText
  files: SkillFile[]
  scan: Scan
}

/** Reads a skill and its files, and refuses what is none. */
export function readWhole(content: string, files: readonly SkillFile[]): Read {
  const text = readSkill(content)
  const checked = checkedFiles(content, files)
  return { content, text, files: checked, scan: scanSkill(content, checked) }
}

/** Refuses a skill that nobody may pass on; says whether it was taken all the same. */
export function judgeLicense(license: string | null, allowUnsafe: boolean): boolean {
  if (openLicense(license) !== null) return false
  if (allowUnsafe) return true
  throw problem('license_refused', {
    detail:
      license === null
        ? 'SKILL.md names no licence'
        : 'The licence is none of MIT, Apache-2.0, BSD-2-Clause, BSD-3-Clause, ISC, CC0-1.0, MPL-2.0, Unlicense, 0BSD',
  })
}

interface Origin {
  actor: Actor
  /** Who wrote it: a person, or a model. */
  source?: 'CUSTOM' | 'GENERATED'
  now: string
}

/** The skill that one of this slug would replace; refuses where it may not, or there is no room for a new one. */
export function placeOf(app: App, slug: string, workspace: string): Row | undefined {
  const before = queries(app.db).bySlug.get(slug)
  if (before) ownSkill(before, workspace)
  else if (queries(app.db).count.get()! >= mostSkills)
    throw problem('skills_full', { detail: `There are ${mostSkills} skills already` })
  return before
}

/** Stores a skill under its slug, over one of this workspace that has it. */
export function storeSkill(app: App, { content, text, files, scan }: Read, it: Origin) {
  const { actor, source = 'CUSTOM', now } = it
  const { slug } = text
  const before = placeOf(app, slug, actor.workspace)
  const row: Row = {
    ...text,
    id: before?.id ?? newId(app.clock()),
    workspace_id: actor.workspace,
    content,
    source,
    spdx_license: openLicense(text.license),
    place: skillMaturities.indexOf(text.maturity as (typeof skillMaturities)[number]),
    scan_status: scan.status,
    scan_reason: scan.reason,
    words: [slug, text.name, text.display_name, text.description, text.tags].join('\n').toLowerCase(),
    bytes: files.reduce((sum, file) => sum + file.content.length, Buffer.byteLength(content)),
    created_at: before?.created_at ?? now,
    updated_at: now,
  }
  queries(app.db).put.run(row)
  queries(app.db).dropFiles.run(row.id)
  for (const { path, executable, content: bytes } of files)
    queries(app.db).addFile.run({
      skill_id: row.id,
      path,
      executable: executable ? 1 : 0,
      sha256: sha256(bytes),
      content: bytes,
    })
  return { skill_id: row.id, slug, created: !before, name: row.name }
}

/** Refuses a change of what comes with Muster, or is of another workspace. */
export function ownSkill({ source, slug, workspace_id }: Row, workspace: string): void {
  if (source === 'BUNDLED') throw problem('builtin_kept', { detail: `The skill ${slug} comes with Muster` })
  if (workspace_id !== null && workspace_id !== workspace)
    throw problem('skill_of_others', { detail: `The skill ${slug} is of another workspace` })
}

interface Told {
  skill_id: string
  slug: string
  created: boolean
  source: 'url' | 'content' | 'git' | 'generated'
  unsafe: boolean
}

/** Records that a skill was imported. */
export function tellImported(app: App, actor: Actor, { skill_id, slug, created, source, unsafe }: Told): void {
  const payload = { skill_id, slug, created, source, unsafe_license: unsafe }
  const about = { workspace_id: actor.workspace, ...actorOf(actor) }
  app.journal(unsafe ? fact('skill.imported_unlicensed', payload, about) : fact('skill.imported', payload, about))
}
