import type { Static } from 'typebox'
import type { Reply } from '#contract/define'
import { fact } from '#contract/entries'
import type { Skill, SkillDetail, skills } from '#contract/skills'
import type { App } from '#kernel/app'
import { actorOf } from '#kernel/dispatch'
import type { Happened } from '#kernel/facts'
import { type Call, staged } from '#kernel/feature'
import { pageOf } from '#kernel/http/fields'
import { problem } from '#kernel/problem'
import { holdersOf } from './assignments/service.ts'
import { fetchSkill } from './fetching.ts'
import { filesOf, findSkill, noSkill } from './find.ts'
import { type Listed, queries } from './queries.ts'
import { judgeLicense, ownSkill, type Read, readWhole, storeSkill, tellImported } from './storing.ts'
import { usageOf } from './uses/service.ts'

type Shown = Static<typeof Skill>

function present(app: App, workspace: string, { workspace_id: _, bytes: __, ...row }: Listed): Shown {
  return {
    ...row,
    installed_on: holdersOf(app, row.id, workspace),
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
      return readWhole(content || (await fetchSkill(app, url!)), files)
    },
    ({ actor, body, now }, ready) => {
      const unsafe = judgeLicense(ready.text.license, body.allow_unsafe_license === true)
      const stored = storeSkill(app, ready, { actor, now })
      tellImported(app, actor, { ...stored, source: body.url ? 'url' : 'content', unsafe })
      return stored
    },
  )
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
