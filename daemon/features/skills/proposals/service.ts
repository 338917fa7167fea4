import type { LearnedRule } from '#contract/consolidate'
import type { Reply } from '#contract/define'
import { fact } from '#contract/entries'
import { mostProposedSkills, type skills } from '#contract/skills'
import type { App } from '#kernel/app'
import type { Call } from '#kernel/feature'
import { newId } from '#kernel/ids'
import { Problem, problem } from '#kernel/problem'
import { quotedLines } from '#kernel/quoted-lines'
import { plainSlug } from '#kernel/slugs'
import { findCrew } from '../../crews/service.ts'
import { open, settle } from '../../decisions/service.ts'
import { skillCalled } from '../find.ts'
import { readSkill, type SkillText } from '../format.ts'
import { scanSkill } from '../scan.ts'
import { readWhole, storeSkill } from '../storing.ts'
import { pathOf, skillProposal } from './kind.ts'
import { type Proposed, queries } from './queries.ts'

export { pathOf } from './kind.ts'

/** One that waits for people. */
export type Waiting = Proposed & { content: string }

interface Crew {
  id: string
  workspace_id: string
  slug: string
  name: string
}

interface Staging {
  crew: Crew
  rule: LearnedRule
  /** The pattern of the rule as it is compared with others. */
  pattern: string
  score: { composite: number; recall_count: number }
  now: string
}

/** Whether a rule of the crew can still become a skill: it was not proposed before, and there is room. */
export const mayStage = ({ db }: App, crew: string, pattern: string): boolean =>
  !queries(db).isKnown.get(crew, pattern) && queries(db).waiting.get(crew)! < mostProposedSkills

/** Puts a rule that has proven itself before people as a skill: text, card and entry in one change. */
export function stage(app: App, { crew, rule, pattern, score, now }: Staging): boolean {
  const slug = mayStage(app, crew.id, pattern) ? freeSlug(app, crew.id, rule) : null
  if (slug === null) return false
  const content = skillOf(slug, rule)
  const scan = scanSkill(content, [])
  const row: Waiting = {
    id: newId(app.clock()),
    workspace_id: crew.workspace_id,
    crew_id: crew.id,
    file_name: fileOf(slug),
    slug,
    pattern,
    content,
    scan_status: scan.status,
    scan_reason: scan.reason,
    agent_id: null,
    reason: null,
    created_at: now,
  }
  queries(app.db).stage.run(row)
  askPeople(app, crew, row, {
    sender: { type: 'crew', id: crew.id, name: crew.name },
    title: `${crew.name}: the skill ${slug}`,
    says:
      `A rule that crew \`${crew.slug}\` learned is looked up again and again. Approving makes it a skill, ` +
      'which no agent has until it is given to one.',
  })
  const { composite, recall_count } = score
  const { file_name, scan_status } = row
  const said = { file_name, skill_path: pathOf(row), slug, scan_status, composite, recall_count }
  const about = { workspace_id: crew.workspace_id, crew_id: crew.id, actor_type: 'system' } as const
  app.journal(fact('memory.skill_proposed', said, { ...about, refs: { source_entry_ids: rule.evidence } }))
  return true
}

/** What people are told besides the text of the skill. */
interface Card {
  sender: { type: 'agent' | 'crew'; id: string; name: string }
  title: string
  says: string
}

/** Puts a staged skill before people: its card with the whole text. */
export function askPeople(app: App, crew: Pick<Crew, 'id'>, row: Waiting, { sender, title, says }: Card): void {
  const { id, workspace_id, content, file_name, slug, scan_status, scan_reason, created_at } = row
  const found = scan_status === 'FLAGGED' ? `\n\nIt was flagged: ${scan_reason}` : ''
  open(app, skillProposal, {
    id,
    workspace: workspace_id,
    asked: `Whether ${slug} becomes a skill`,
    crew: crew.id,
    card: {
      title,
      body: `${says}${found}\n\n${quotedLines(content)}`,
      sender,
      priority: 'medium',
      blocking: false,
      attention: 'review',
      payload: () => ({ kind: 'skill_proposal', crew_id: crew.id, file_name, slug, scan_status }),
    },
    now: created_at,
  })
}

/** What a staged skill is called. */
export const fileOf = (slug: string): string => `skill-${slug}.md`
/** Characters of a slug before a number is put behind it. */
const slugLength = 48

/** Whether a slug is that of a skill, or will be, or was that of a proposal of this crew. */
export const isTaken = ({ db }: App, crew: string, slug: string): boolean =>
  queries(db).isTaken.get({ slug, crew, file: fileOf(slug) }) === 1

/** A slug of which there is no skill and no proposal; null when a hundred are taken. */
function freeSlug(app: App, crew: string, { pattern }: LearnedRule): string | null {
  const base = plainSlug(pattern.replace(/^when\s+/i, ''), slugLength) || 'learned'
  for (let number = 1; number < 100; number++) {
    const slug = number === 1 ? base : `${base}-${number}`
    if (!isTaken(app, crew, slug)) return slug
  }
  return null
}

function skillOf(slug: string, { pattern, action, evidence }: LearnedRule): string {
  const when = /^when\b/i.test(pattern) ? `Use w${pattern.slice(1)}` : `Use when this holds: ${pattern}`
  return [
    '---',
    `name: ${slug}`,
    `description: ${JSON.stringify(`${when}${/[.!?]$/.test(when) ? '' : '.'} ${action}`)}`,
    'maturity: EXPERIMENTAL',
    'tags: [auto-promoted, memory-derived]',
    '---',
    '',
    `# ${slug.replaceAll('-', ' ')}`,
    '',
    `**When:** ${pattern}`,
    '',
    `**Then:** ${action}`,
    '',
    `Learned from: ${evidence.join(', ')}`,
    '',
  ].join('\n')
}

export function proposed(app: App, { actor, query }: Call<typeof skills.proposed>): Reply<typeof skills.proposed> {
  const crew = findCrew(app, actor.workspace, query.crew_id)
  return queries(app.db)
    .list.all(crew.id)
    .map((row) => shown(row as Waiting)) as Reply<typeof skills.proposed>
}

function shown({ file_name, slug, content, scan_status, scan_reason, agent_id, reason, created_at }: Waiting) {
  const { name, description, description_quality, category } = textOf(slug, content)
  const about = { name, description, description_quality, category }
  return { file_name, slug, ...about, scan_status, scan_reason, content, agent_id, reason, created_at }
}

type Told = Pick<SkillText, 'name' | 'description' | 'description_quality' | 'category'>

function textOf(slug: string, content: string): Told {
  try {
    return readSkill(content)
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    const description_quality = `parse error: ${error.message}`
    return { name: slug, description: null, description_quality, category: 'CUSTOM' }
  }
}

type Named = Pick<Proposed, 'crew_id' | 'file_name'>

/** One that waits; undefined where people have decided, or there never was one. */
function waiting(app: App, workspace: string, { crew_id, file_name }: Named): Waiting | undefined {
  return queries(app.db).find.get(findCrew(app, workspace, crew_id).id, file_name) as Waiting | undefined
}

/** Skill, staged text, card and entry are one change. People have read it, so it needs no licence. */
export function approve(app: App, { actor, body, now }: Call<typeof skills.approve>): Reply<typeof skills.approve> {
  const row = waiting(app, actor.workspace, body)
  if (!row) throw problem('not_found', { field: 'file_name', detail: 'There is no such proposed skill' })
  // Agents may have that one already: people would give them another text unawares.
  if (skillCalled(app, row.slug))
    throw problem('skill_invalid', {
      detail: `There is a skill ${row.slug} by now, which this would replace: reject it`,
    })
  const { name: _, ...made } = storeSkill(app, readWhole(row.content, []), { actor, source: 'GENERATED', now })
  settle(app, row.id, { state: 'decided', outcome: 'approved', actor, now, details: made })
  return { ...made, file_name: row.file_name }
}

/** Rejecting again changes nothing. */
export function reject(app: App, { actor, body, now }: Call<typeof skills.reject>): Reply<typeof skills.reject> {
  const row = waiting(app, actor.workspace, body)
  const { file_name } = body
  if (!row) return { file_name, removed: false }
  settle(app, row.id, { state: 'decided', outcome: 'rejected', actor, now })
  return { file_name, removed: true }
}
