import { expect } from 'vitest'
import { fixedClock, daemon as inProcess } from '#test'
import { propose } from '../../daemon/features/consolidate/service.ts'

type Crew = Parameters<typeof propose>[1]['crew']

const patternOf = (at: number) => `When case ${at}.`

/** At most 100 proposals of one rule each, made while no daemon works on the database; their ids. */
export async function proposeInFile(file: string, crew: Crew, count: number): Promise<string[]> {
  const clock = fixedClock(new Date().toISOString())
  const { app } = await inProcess({ file, clock, withVault: false, empty: true })
  const about = { crew, entriesScanned: 12, model: 'scripted-1', actor: { actor_type: 'system' as const } }
  const ids = Array.from({ length: count }, (_, at) => {
    const rule = { pattern: patternOf(at), action: 'Read the log', evidence: [], confidence: 0.9 }
    return app.writeNow(() => propose(app, { ...about, rules: [rule], now: app.now() }))
  })
  app.db.close()
  return ids
}

// biome-ignore lint/suspicious/noExplicitAny: a test states the shape that it expects
type Get = (path: string) => Promise<any>

/**
 * Expects that file, version, row, card and journal say the same of each proposal that `proposeInFile` made for a crew
 * with this slug. The ids of those that are approved.
 */
export async function expectAgreed(get: Get, slug: string, ids: readonly string[]): Promise<string[]> {
  const { files } = await get(`/memory/files?path=crew:${slug}/`)
  const learned = files
    .map(({ path }: { path: string }) => path)
    .filter((it: string) => it.includes('/topics/learned-'))
  const texts = await Promise.all(learned.map(async (path: string) => (await get(`/memory/file?path=${path}`)).content))
  const written = ids.filter((_, at) => {
    const count = texts.join('\n').split(patternOf(at)).length - 1
    expect(count).toBeLessThan(2)
    return count === 1
  })
  const { proposals } = await get('/consolidate/proposed?status=approved&limit=100')
  const { entries } = await get('/journal?entry_type=memory.consolidated&limit=100')
  const approved = proposals.map((it: { proposal_id: string }) => it.proposal_id).sort()
  expect(approved).toEqual([...written].sort())
  expect(entries.map((it: { payload: { proposal_id: string } }) => it.payload.proposal_id).sort()).toEqual(approved)
  const versions = await Promise.all(
    learned.map(async (path: string) => (await get(`/memory/versions?path=${path}&limit=100`)).count),
  )
  expect(versions.reduce((sum: number, count: number) => sum + count, 0)).toBe(written.length)
  for (const id of ids) {
    const { state } = await get(`/inbox/ibx_memory_consolidation_${id}`)
    expect([id, state === 'resolved']).toEqual([id, written.includes(id)])
  }
  return written
}
