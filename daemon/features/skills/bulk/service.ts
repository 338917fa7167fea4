import { setImmediate as turn } from 'node:timers/promises'
import type { Reply } from '#contract/define'
import { mostBulkSkills, type skills } from '#contract/skills'
import type { App } from '#kernel/app'
import { type Call, staged } from '#kernel/feature'
import { createSlots } from '#kernel/limits/slots'
import { OutboundError } from '#kernel/outbound/outbound'
import { Problem, problem } from '#kernel/problem'
import { BadRepository } from '../git/packets.ts'
import { openRemote } from '../git/remote.ts'
import { filesOf } from '../git/tree.ts'
import { judgeLicense, placeOf, type Read, readWhole, storeSkill, tellImported } from '../storing.ts'
import { type Found, shownPath, skillsIn } from './find.ts'

type Calling = Call<typeof skills.bulkImport>
type Report = Reply<typeof skills.bulkImport>
type Skipped = Report['skipped'][number]

/** Milliseconds for everything that is read. */
const patience = 90_000
/** Milliseconds after which others have their turn. */
const ownTurn = 10

interface Ready {
  source: string
  commit: string
  found: number
  /** In the order of their paths. */
  skills: (Skipped | { path: string; read: Read })[]
}

/** Imports the skills of a repository: all that can be had in one change, and of each other one why not. */
export function bulkImport(app: App) {
  // Each holds what it reads in memory.
  const slots = createSlots({ each: 1, all: 1 })
  return staged<typeof skills.bulkImport, Ready>(
    async ({ body }) => {
      const asked = { url: addressOf(body.git_url), ref: refOf(body.git_ref ?? ''), globs: body.paths ?? [] }
      const release = slots.take('')
      if (!release) throw problem('bulk_import_running')
      try {
        return await readAll(app, asked, body.vendor?.trim() || null)
      } catch (error) {
        throw problemOf(error)
      } finally {
        release()
      }
    },
    (call, ready) => store(app, call, ready),
  )
}

const wrong = (field: string, detail: string) => problem('invalid_field', { field, detail })

function addressOf(given: string): string {
  const url = URL.canParse(given.trim()) ? new URL(given.trim()) : null
  if (url?.protocol !== 'https:' || url.username || url.password || url.search || url.hash)
    throw wrong('git_url', 'git_url must be the https address of a repository, without a user name or password')
  return url.href
}

function refOf(given: string): string {
  const ref = given.trim()
  if (ref && (!/^[A-Za-z0-9._/-]{1,255}$/.test(ref) || ref.includes('..') || ref.startsWith('-')))
    throw wrong('git_ref', 'git_ref must be a branch, a tag or a commit')
  return ref
}

function problemOf(error: unknown): unknown {
  if (error instanceof BadRepository) return problem('repository_unreadable', { detail: error.message })
  if (!(error instanceof OutboundError)) return error
  if (error.reason === 'refused') return wrong('git_url', error.message)
  return problem('repository_unreadable', { detail: error.message })
}

interface Asked {
  url: string
  ref: string
  globs: readonly string[]
}

async function readAll(app: App, { url, ref, globs }: Asked, vendor: string | null): Promise<Ready> {
  const signal = AbortSignal.any([app.stopping.signal, AbortSignal.timeout(patience)])
  const remote = await openRemote(app, { url, ref, signal })
  const objects = await remote.shallow()
  const found = skillsIn(filesOf(objects, remote.commit), globs)
  const chosen = found.slice(0, mostBulkSkills)
  const wanted = chosen
    .filter(({ wrong }) => wrong === undefined)
    .flatMap(({ id, files }) => [id, ...files.map((file) => file.id)])
  const missing = [...new Set(wanted)].filter((id) => !objects.has(id))
  const blobs = missing.length ? await remote.blobs(missing) : objects
  const bytesOf = (id: string) => (blobs.get(id) ?? objects.get(id))?.data
  const skills: Ready['skills'] = []
  let since = performance.now()
  for (const skill of chosen) {
    skills.push(readOne(skill, bytesOf, vendor))
    if (performance.now() - since < ownTurn) continue
    await turn()
    since = performance.now()
  }
  return { source: url, commit: remote.commit, found: found.length, skills }
}

function readOne(
  { path, id, files, wrong }: Found,
  bytesOf: (id: string) => Buffer | undefined,
  vendor: string | null,
): Ready['skills'][number] {
  const shown = shownPath(path)
  if (wrong !== undefined) return { path: shown, reason: wrong }
  try {
    const read = readWhole(
      (bytesOf(id) ?? Buffer.alloc(0)).toString('utf8'),
      files.map((file) => ({ ...file, content: bytesOf(file.id) ?? Buffer.alloc(0) })),
    )
    return { path: shown, read: vendor === null ? read : { ...read, text: { ...read.text, vendor } } }
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    return { path: shown, reason: error.message }
  }
}

function store(app: App, { actor, body, now }: Calling, { source, commit, found, skills }: Ready): Report {
  const imported: Report['imported'] = []
  const skipped: Skipped[] = []
  const first = new Map<string, string>()
  for (const it of skills) {
    if (!('read' in it)) {
      skipped.push(it)
      continue
    }
    const { path, read } = it
    const { slug, license } = read.text
    try {
      if (first.has(slug)) throw problem('skill_exists', { detail: `${first.get(slug)} has the same name` })
      const unsafe = judgeLicense(license, body.allow_unsafe_license === true)
      if (body.dry_run) {
        const before = placeOf(app, slug, actor.workspace)
        imported.push({ skill_id: before?.id ?? '', slug, created: !before })
      } else {
        const { skill_id, created } = storeSkill(app, read, { actor, now })
        tellImported(app, actor, { skill_id, slug, created, source: 'git', unsafe })
        imported.push({ skill_id, slug, created })
      }
      first.set(slug, path)
    } catch (error) {
      if (!(error instanceof Problem)) throw error
      skipped.push({ path, slug, reason: error.message })
    }
  }
  const counts = { total_found: found, total_imported: imported.length }
  return { source, commit, ...counts, imported, skipped, truncated: found > skills.length }
}
