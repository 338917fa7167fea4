import { describe, expect, it } from 'vitest'
import type { VerificationLine } from '#contract/journal'
import { daemon, type TestDaemon } from '#test'
import { compact, pass, record } from '../../../support/compaction.ts'

const path = '/journal/verification'

/** The lines of a verification. */
async function aloud(it: TestDaemon, query = ''): Promise<VerificationLine[]> {
  const { text } = await it.call('ADMIN', 'GET', `${path}${query}`)
  return text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as VerificationLine)
}

const verdictOf = (lines: readonly VerificationLine[]) => {
  const last = lines.at(-1)!
  if (last.type !== 'verdict') throw new Error(`it ended with ${last.type}`)
  return last.verdict
}

/** Lets each part take one step of 500 entries; `after` is called when so many parts are done. */
function inSteps({ app }: TestDaemon, after: (parts: number) => void = () => undefined): void {
  const { run } = app.reads
  let parts = 0
  app.reads.run = async (lane, job, args) => {
    const text = await run(lane, job, job === 'verifyPart' ? { ...(args as object), ms: 0 } : args)
    if (job === 'verifyPart') after(++parts)
    return text
  }
}

/** Ends the verification that goes on, as when the person who asked is no ADMIN any more, and lets them in again. */
function interrupt({ app, workspace, person }: TestDaemon): void {
  const { userId } = person('ADMIN')
  const role = (name: string) =>
    app.db.prepare('UPDATE workspace_members SET role = ? WHERE user_id = ?').run(name, userId)
  role('VIEWER')
  app.bus.emit('access_lost', workspace)
  role('ADMIN')
}

async function journalOf(entries: number) {
  const it = await daemon()
  it.person('ADMIN')
  record(it, entries)
  return it
}

const interrupted = { type: 'interrupted', of: 2_001 }

describe('journal.verification', () => {
  it('tells how far it is, and ends with the verdict of journal.verify', async () => {
    const it = await journalOf(1_001)
    inSteps(it)
    const lines = await aloud(it)
    expect(lines.slice(0, -1)).toEqual(
      [0, 500, 1_000, 1_001].map((entries) => ({ type: 'progress', entries, of: 1_001 })),
    )
    expect(verdictOf(lines)).toEqual((await it.call('ADMIN', 'GET', '/journal/verify')).body)
    expect(it.app.db.prepare('SELECT count(*) FROM journal_verifications').pluck().get()).toBe(0)
  })

  it('goes on where it was interrupted, and says what it did not look at again', async () => {
    const it = await journalOf(2_001)
    inSteps(it, (parts) => parts === 2 && interrupt(it))
    expect((await aloud(it)).at(-1)).toEqual({ ...interrupted, entries: 500 })
    it.clock.advance(60_000)
    record(it, 1)
    const lines = await aloud(it, '?resume=true')
    expect(lines[0]).toEqual({ type: 'progress', entries: 500, of: 2_002 })
    expect(verdictOf(lines)).toMatchObject({
      valid: true,
      entries: 2_002,
      resumed: { entries: 500, at: '2026-01-01T00:00:00Z' },
      not_proven: ['unsealed', 'rollback', 'earlier'],
    })
    expect((await aloud(it, '?resume=true'))[0], 'which is over now').toMatchObject({ entries: 0 })
  })

  it('finds in the rest what is to be found there', async () => {
    const it = await journalOf(2_001)
    inSteps(it, (parts) => parts === 2 && interrupt(it))
    await aloud(it)
    it.app.db.exec(`UPDATE journal SET doc = replace(doc, 'call 1400', 'call 1401') WHERE seq = 1400`)
    expect(verdictOf(await aloud(it, '?resume=true'))).toMatchObject({ valid: false, broken: { seq: 1_400 } })
  })

  it.each([
    ['what it had come to is gone', 'DELETE FROM journal WHERE seq = 500', 499],
    ['what it had come to was changed', 'UPDATE journal SET entry_hash = zeroblob(32) WHERE seq = 500', 499],
    ['its record was forged', `UPDATE journal_verifications SET state = replace(state, '500', '501')`, 2_001],
  ])('begins anew where %s', async (_, sql, holding) => {
    const it = await journalOf(2_001)
    inSteps(it, (parts) => parts === 2 && interrupt(it))
    await aloud(it)
    await it.app.idle()
    it.app.db.exec(sql)
    const lines = await aloud(it, '?resume=true')
    expect(lines[0]).toMatchObject({ entries: 0 })
    expect(verdictOf(lines)).toMatchObject({ entries: holding, resumed: null })
  })

  it('begins anew for an anchor of what it had passed', async () => {
    const it = await journalOf(300)
    const { anchor } = (await it.call('ADMIN', 'GET', '/journal/anchor')).body
    record(it, 1_701)
    inSteps(it, (parts) => parts === 2 && interrupt(it))
    await aloud(it)
    const lines = await aloud(it, `?resume=true&anchor=${anchor}`)
    expect(lines[0]).toMatchObject({ entries: 0 })
    expect(verdictOf(lines).proven).toContain('anchor')
  })

  it('goes on over priorities and over entries that were rolled up meanwhile', async () => {
    const it = await journalOf(600)
    const [first] = it.entries()
    await it.call('ADMIN', 'POST', `/journal/${first!.id}/priority`, { priority: 'pin' })
    record(it, 900)
    inSteps(it, (parts) => parts === 2 && interrupt(it))
    await aloud(it)
    pass(it, 31)
    await compact(it)
    expect(verdictOf(await aloud(it, '?resume=true'))).toMatchObject({ valid: true, entries: 1_503, compacted: 1_000 })
    expect(verdictOf(await aloud(it))).toMatchObject({ valid: true, entries: 1_503, compacted: 1_499 })
  })

  it('does not hold a daemon up that stops: both end at once, and it is stored how far it came', async () => {
    const it = await journalOf(2_001)
    inSteps(it, (parts) => parts === 2 && it.app.stopping.abort())
    expect((await aloud(it)).at(-1)).toEqual({ ...interrupted, entries: 500 })
    await it.app.idle()
    const state = it.app.db.prepare('SELECT state FROM journal_verifications').pluck().get() as string
    expect(JSON.parse(state)).toMatchObject({ walked: { entries: 500 } })
    expect(await it.call('ADMIN', 'GET', '/journal/verify')).toMatchObject({ status: 503 })
  })

  it('takes an anchor as journal.verify does', async () => {
    const it = await journalOf(3)
    expect(await it.call('ADMIN', 'GET', `${path}?anchor=x`)).toMatchObject({ status: 400, body: { field: 'anchor' } })
  })
})
