import { setImmediate as turn } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import type { Entry } from '#contract/entries'
import { daemon, type TestDaemon } from '#test'
import { queries } from '../../../../daemon/features/journal/queries.ts'
import { walk } from '../../../../daemon/features/journal/service.ts'
import { rawEntry } from '../../../support/raw-entry.ts'

const notes = ({ app, workspace }: TestDaemon, count: number, workspace_id = workspace) =>
  app.writeNow(() =>
    Array.from(
      { length: count },
      (_, n) =>
        rawEntry(app, { workspace_id, type: 'exec.command', actor_type: 'system', summary: `entry ${n + 1}` }).entry,
    ),
  )
const cursorOf = ({ ts, id }: Entry) => Buffer.from(JSON.stringify([ts, id])).toString('base64url')

describe('a page of the journal', () => {
  it('goes on below the entry of its cursor', async () => {
    const it = await daemon()
    const [first, , third] = notes(it, 3)
    const page = async (entry: Entry) => (await it.call('VIEWER', 'GET', `/journal?cursor=${cursorOf(entry)}`)).body
    expect((await page(third!)).entries.map(({ summary }: Entry) => summary)).toEqual(['entry 2', 'entry 1'])
    expect(await page(first!)).toEqual({ entries: [], count: 0 })
  })

  it('is JSON, as an entry is', async () => {
    const it = await daemon()
    const [entry] = notes(it, 1)
    for (const path of ['/journal', `/journal/${entry!.id}`])
      expect((await it.call('VIEWER', 'GET', path)).headers['content-type'], path).toMatch(/^application\/json/)
  })
})

describe('an entry', () => {
  it('is shown and marked in its own workspace, also to who has no entries there', async () => {
    const it = await daemon()
    const [first, second] = notes(it, 2)
    const nobody = it.stranger()
    const asked = async () => [
      await it.call(nobody, 'GET', `/journal/${first!.id}`),
      await it.call(nobody, 'POST', `/journal/${first!.id}/priority`, { priority: 'pin' }),
    ]
    const missing = { status: 404, body: { code: 'not_found' } }
    expect(await asked()).toMatchObject([missing, missing])
    notes(it, 1, nobody.workspace)
    expect(await asked()).toMatchObject([missing, missing])
    expect((await it.call('VIEWER', 'GET', `/journal/${second!.id}`)).body).toEqual(second)
  })

  it('changes alone when its marker does', async () => {
    const it = await daemon()
    const [first, second, third] = notes(it, 3)
    expect((await it.call('ADMIN', 'POST', `/journal/${second!.id}/priority`, { priority: 'pin' })).status).toBe(200)
    expect(it.entries().slice(0, 3)).toEqual([first, { ...second, priority: 'pin' }, third])
    expect(it.app.db.prepare('SELECT priority FROM journal ORDER BY seq LIMIT 3').pluck().all()).toEqual([0, 2, 0])
    expect(it.app.db.prepare('SELECT seq, set_by FROM journal_priorities').all()).toEqual([
      { seq: 2, set_by: it.person('ADMIN').userId },
    ])
  })

  it('is found by its place among the ids', async () => {
    const it = await daemon()
    const [first, second] = notes(it, 2)
    const { before, upTo, newest } = queries(it.app.db)
    expect([before.get(second!.id), upTo.get(second!.id)]).toEqual([1, 2])
    expect([before.get(first!.id), upTo.get(first!.id)]).toEqual([undefined, 1])
    const { workspace } = it.stranger()
    const [theirs] = notes(it, 1, workspace)
    const newestOf = (id: string) => newest.get(it.app.index.names.find(0, id)!)?.id
    expect([newestOf(it.workspace), newestOf(workspace)]).toEqual([second!.id, theirs!.id])
  })
})

describe('names', () => {
  it('are those of the crews and agents that the workspace has', async () => {
    const it = await daemon()
    const made: Record<string, string> = {}
    for (const slug of ['zebra', 'alpha', 'gone']) {
      const crew = await it.call('MANAGER', 'POST', '/crews', { name: slug, slug })
      const agent = { name: slug, slug, crew_id: crew.body.id }
      made[slug] = crew.body.id
      expect((await it.call('MANAGER', 'POST', '/agents', agent)).status).toBe(201)
    }
    const other = it.stranger()
    it.app.db.prepare("UPDATE crews SET workspace_id = ? WHERE slug = 'zebra'").run(other.workspace)
    it.app.db.prepare("UPDATE agents SET workspace_id = ? WHERE slug = 'zebra'").run(other.workspace)
    it.app.db.exec("UPDATE crews SET deleted_at = created_at WHERE slug = 'gone'")
    it.app.db.exec("UPDATE agents SET deleted_at = created_at WHERE slug = 'gone'")
    const slugs = async (who: Parameters<typeof it.call>[0]) => {
      const { body } = await it.call(who, 'GET', '/journal/lookup')
      return ['crews', 'agents', 'missions'].map((kind) => body[kind].map(({ slug }: { slug: string }) => slug))
    }
    expect(await slugs('VIEWER')).toEqual([['alpha'], ['alpha'], []])
    expect(await slugs(other)).toEqual([['zebra'], ['zebra'], []])
    const { body } = await it.call('VIEWER', 'GET', '/journal/lookup')
    expect(body.agents[0]).toMatchObject({ name: 'alpha', crew_id: made['alpha'] })
  })
})

describe('a walk', () => {
  const pages = async (it: TestDaemon, query = {}) => {
    const sizes: number[] = []
    const seen: string[] = []
    for await (const page of walk(it.app, it.workspace, query)) {
      sizes.push(page.length)
      seen.push(...page.map(({ summary }) => summary))
    }
    return { sizes, seen }
  }

  it('yields all entries, newest first, by pages of 500', async () => {
    const it = await daemon()
    expect(await pages(it)).toEqual({ sizes: [], seen: [] })
    notes(it, 1_001)
    const { sizes, seen } = await pages(it)
    expect(sizes).toEqual([500, 500, 1])
    expect(seen).toEqual(Array.from({ length: 1_001 }, (_, at) => `entry ${1_001 - at}`))
    expect((await pages(it, { severity: 'warn' })).sizes).toEqual([])
  })

  it('lets other requests run in between', async () => {
    const it = await daemon()
    notes(it, 1_001)
    const walked = walk(it.app, it.workspace, {})
    let turns = 0
    const other = (async () => {
      while (turns < 2) {
        await turn()
        turns++
      }
    })()
    for (let page = await walked.next(); !page.done; page = await walked.next());
    expect(turns).toBe(2)
    await other
  })
})
