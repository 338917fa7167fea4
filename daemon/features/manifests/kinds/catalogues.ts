import { hash } from 'node:crypto'
import type { App } from '#kernel/app'
import { problem } from '#kernel/problem'
import { queries } from '../queries.ts'
import type { Members, Stored } from '../types.ts'
import { type Hands, type Kind, reference, rest, without } from './kind.ts'

function storedSkills({ db }: App, workspace: string): Stored[] {
  const files = new Map<string, Members[]>()
  for (const { skill_id, path, executable, content } of queries(db).skillFiles.all(workspace)) {
    const file = { path, content_base64: content.toString('base64'), ...(executable === 1 && { executable: true }) }
    files.set(skill_id, [...(files.get(skill_id) ?? []), file])
  }
  return queries(db)
    .skills.all(workspace)
    .map((row) => ({
      id: row.id,
      name: String(row['slug']),
      members: {
        content: row['content'],
        digest: digestOf(row['content']!),
        ...(files.has(row.id) && { files: files.get(row.id) }),
      },
    }))
}

const digestOf = (content: string): string => `sha256:${hash('sha256', content, 'hex')}`

/** Imports a text, or what stands at an address if it is the text that was expected. */
function importSkill(at: Hands, slug: string, { source, digest, ...text }: Members): string {
  const body = source === undefined ? text : { url: source }
  const made = at.call('skills.import', { workspaceId: at.workspace, body }) as Imported
  const field = source === undefined ? 'content' : 'source'
  if (made.slug !== undefined && made.slug !== slug)
    throw problem('invalid_field', { field, detail: `This SKILL.md is of the skill ${made.slug}` })
  if (source !== undefined && !at.isRehearsal) checkDigest(at, made.skill_id!, digest)
  return made.skill_id!
}

function checkDigest({ app }: Hands, id: string, digest: unknown): void {
  const found = digestOf(queries(app.db).skillText.get(id)!.content)
  if (found !== digest)
    throw problem('invalid_field', { field: 'digest', detail: `What stands at the source has the digest ${found}` })
}

interface Imported {
  skill_id?: string
  slug?: string
}

export const skill: Kind = {
  stored: storedSkills,
  create: importSkill,
  change: (at, { name, members: { digest: _, ...before } }, members) =>
    void importSkill(at, name, { ...before, ...members }),
  remove: (at, { id }) => void at.call('skills.remove', { workspaceId: at.workspace, skillId: id }),
}

/** Recipes come with Muster: a document of one stands for its parts. */
export const recipe: Kind = {
  stored: () => [],
  create(_, name) {
    throw new Error(`A recipe ${name} is never made itself`)
  },
  change: () => undefined,
}

const saveTemplate = (at: Hands, slug: string, members: Members) =>
  at.call('templates.save', { slug, body: { name: slug, ...members } })

export const crewTemplate: Kind = {
  stored: ({ db }, workspace) =>
    queries(db)
      .crewTemplates.all(workspace)
      .map(({ slug, agents_json, ...row }) => ({
        id: row.id,
        name: String(slug),
        members: { ...rest(row), agents: JSON.parse(String(agents_json)) },
      })),
  create: (at, slug, members) => saveTemplate(at, slug, members).id!,
  change: (at, { name, members: before }, members) => void saveTemplate(at, name, { ...before, ...members }),
  remove: (at, { name }) => void at.call('templates.remove', { slug: name }),
}

function saveRoutine(at: Hands, slug: string, members: Members): string {
  const body = {
    ...without(members, 'crew'),
    ...reference(at, members, { member: 'crew', kind: 'Crew', as: 'author_crew_id' }),
    slug,
    change_summary: 'Applied from files',
    ...(at.skipsTests && { skip_test_gate: true }),
  }
  return at.call('routines.save', { workspaceId: at.workspace, body }).id!
}

export const routine: Kind = {
  stored: ({ db }, workspace) =>
    queries(db)
      .routines.all(workspace)
      .map(({ slug, definition_json, ...row }) => ({
        id: row.id,
        name: String(slug),
        members: { ...rest(row), definition: JSON.parse(String(definition_json)) },
      })),
  create: (at, slug, members) => saveRoutine(at, slug, members),
  change: (at, { name, members: before }, members) => void saveRoutine(at, name, { ...before, ...members }),
  remove: (at, { name }) => void at.call('routines.remove', { workspaceId: at.workspace, routineSlug: name }),
}
