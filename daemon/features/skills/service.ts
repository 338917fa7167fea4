import type { Static } from 'typebox'
import type { Reply } from '#contract/define'
import { fact } from '#contract/entries'
import { mostSkills, type Skill, type SkillDetail, skillMaturities, type skills } from '#contract/skills'
import type { App } from '#kernel/app'
import { actorOf } from '#kernel/dispatch'
import type { Happened } from '#kernel/facts'
import { type Actor, type Call, staged } from '#kernel/feature'
import { pageOf } from '#kernel/http/fields'
import { newId } from '#kernel/ids'
import { problem } from '#kernel/problem'
import { holdersOf } from './assignments/service.ts'
import { fetchSkill } from './fetching.ts'
import { checkedFiles, type SkillFile, sha256 } from './files.ts'
import { filesOf, findSkill, noSkill } from './find.ts'
import { readSkill, type SkillText } from './format.ts'
import { openLicense } from './license.ts'
import { type Listed, queries, type Row } from './queries.ts'
import { type Scan, scanSkill } from './scan.ts'
import { usageOf } from './uses/service.ts'

type Shown = Static<typeof Skill>

function present(app: App, workspace: string, { workspace_id: _, bytes: __, ...row }: Listed): Shown {
  return {
    ...row,
    installed_on: holdersOf(app, row.id, workspace).map(({ skill_id: _, ...holder }) => holder),
    usage: usageOf(app, workspace, row.id) ?? { invocations: 0 },
    verification: row.source === 'BUNDLED' ? 'VERIFIED' : 'UNVERIFIED',
    downloads: 0,
    rating_avg: null,
    rating_count: 0,
    featured: false,
    pricing_tier: 'FREE',
    tool_count: null,
  } as Shown
}

const asked = (text: string | undefined): string | null => text?.trim() || null
const askedUpper = (text: string | undefined): string | null => asked(text)?.toUpperCase() ?? null

export function list(app: App, { actor, query }: Call<typeof skills.list>): Shown[] {
  const agent = asked(query.installed_for_agent_id)
  const filter = {
    category: askedUpper(query.category),
    source: askedUpper(query.source),
    search: asked(query.search)?.toLowerCase() ?? null,
    vendor: asked(query.vendor),
    maturity: askedUpper(query.maturity),
    runtime: askedUpper(query.runtime),
    workspace: query.installed === '1' || agent ? actor.workspace : null,
    agent,
  }
  return queries(app.db)
    .list.all({ ...filter, ...pageOf(query) })
    .map((row) => present(app, actor.workspace, row))
}

export function show(app: App, { actor, skillId, query }: Call<typeof skills.show>): Static<typeof SkillDetail> {
  const { content, license, place: _, words: __, credential_requirements, ...row } = findSkill(app, skillId)
  const files = filesOf(app, row.id).map(({ path, executable, sha256, content: bytes }) => ({
    path,
    bytes: bytes.length,
    sha256,
    executable: executable === 1,
    ...(query.files === '1' && { content_base64: bytes.toString('base64') }),
  }))
  const shown = present(app, actor.workspace, row)
  return {
    ...shown,
    agent_count: shown.installed_on.length,
    content,
    license,
    credential_requirements,
    mcp_server_command: null,
    mcp_server_image: null,
    mcp_transport: null,
    dependencies: null,
    security_score: null,
    allowed_domains: null,
    changelog: null,
    files,
  }
}

/** A skill that was read and looked through, and not stored yet. */
interface Read {
  content: string
  text: SkillText
  files: SkillFile[]
  scan: Scan
}

/** Reads a skill and its files, and refuses what is none. */
function read(content: string, files: readonly SkillFile[]): Read {
  const text = readSkill(content)
  const checked = checkedFiles(content, files)
  return { content, text, files: checked, scan: scanSkill(content, checked) }
}

/** Refuses a skill that nobody may pass on; says whether it was taken all the same. */
function judgeLicense(license: string | null, allowUnsafe: boolean): boolean {
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
  now: string
}

/** Stores a skill under its slug, over one of this workspace that has it. */
function storeSkill(app: App, { content, text, files, scan }: Read, { actor, now }: Origin) {
  const { slug } = text
  const before = queries(app.db).bySlug.get(slug)
  if (before) ownSkill(before, actor.workspace)
  else if (queries(app.db).count.get()! >= mostSkills)
    throw problem('skills_full', { detail: `There are ${mostSkills} skills already` })
  const row: Row = {
    ...text,
    id: before?.id ?? newId(app.clock()),
    workspace_id: actor.workspace,
    content,
    source: 'CUSTOM',
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
function ownSkill({ source, slug, workspace_id }: Row, workspace: string): void {
  if (source === 'BUNDLED') throw problem('builtin_kept', { detail: `The skill ${slug} comes with Muster` })
  if (workspace_id !== null && workspace_id !== workspace)
    throw problem('skill_of_others', { detail: `The skill ${slug} is of another workspace` })
}

export function importSkill(app: App) {
  return staged<typeof skills.import, Read>(
    async ({ body }) => {
      const { url, content } = body
      if (!url === !content)
        throw problem('invalid_field', { field: 'content', detail: 'Give exactly one of url and content' })
      if (url && body.files?.length)
        throw problem('invalid_field', { field: 'files', detail: 'files belong to content, not to url' })
      const files = (body.files ?? []).map(({ path, content_base64, executable }, index) => ({
        path,
        executable: executable === true,
        content: decoded(content_base64, index),
      }))
      return read(content || (await fetchSkill(app, url!)), files)
    },
    ({ actor, body, now }, ready) => {
      const unsafe = judgeLicense(ready.text.license, body.allow_unsafe_license === true)
      const stored = storeSkill(app, ready, { actor, now })
      told(app, actor, { ...stored, source: body.url ? 'url' : 'content', unsafe })
      return stored
    },
  )
}

interface Told {
  skill_id: string
  slug: string
  created: boolean
  source: 'url' | 'content'
  unsafe: boolean
}

/** Records that a skill was imported. */
function told(app: App, actor: Actor, { skill_id, slug, created, source, unsafe }: Told): void {
  const payload = { skill_id, slug, created, source, unsafe_license: unsafe }
  const about = { workspace_id: actor.workspace, ...actorOf(actor) }
  app.journal(unsafe ? fact('skill.imported_unlicensed', payload, about) : fact('skill.imported', payload, about))
}

function decoded(text: string, index: number): Buffer {
  const bytes = Buffer.from(text, 'base64')
  if (bytes.toString('base64').replace(/=+$/, '') !== text.replace(/\s/g, '').replace(/=+$/, ''))
    throw problem('invalid_field', {
      field: `files[${index}].content_base64`,
      detail: 'content_base64 must be base64',
    })
  return bytes
}

export function remove(app: App, { actor, skillId }: Call<typeof skills.remove>): Reply<typeof skills.remove> {
  const row = findSkill(app, skillId)
  // A foreign one is answered like an absent one, as everywhere.
  if (row.workspace_id !== null && row.workspace_id !== actor.workspace) throw noSkill()
  ownSkill(row, actor.workspace)
  const { id, slug } = row
  app.journal(fact('skill.deleted', { skill_id: id, slug }, { workspace_id: actor.workspace, ...actorOf(actor) }))
  queries(app.db).remove.run(id)
  return { deleted: true, skill_id: id }
}

/** Skills outlive their workspace, for those who use them; whoever imports one anew has it. */
export function disown({ db }: App, { payload }: Happened<'workspace.deleted'>): void {
  queries(db).disown.run(payload.entity_id)
}
