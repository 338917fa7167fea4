import { describe, expect, it } from 'vitest'
import { hashPart } from '#kernel/journal/chain'
import { closing, daemon, type TestDaemon } from '#test'
import { eraseAsked } from '../../../../daemon/features/journal/erasure/jobs.ts'
import { blank } from '../../../../daemon/features/journal/erasure/service.ts'
import { verifyChain } from '../../../../daemon/features/journal/verify.ts'
import { asWrittenBefore } from '../../../support/forger.ts'
import { rawEntry } from '../../../support/raw-entry.ts'

const verify = async (it: TestDaemon) => (await it.call('OWNER', 'GET', '/journal/verify')).body

function note(it: TestDaemon, summary: string, more: object = {}): string {
  const draft = { workspace_id: it.workspace, type: 'exec.command', actor_type: 'system', summary, ...more } as const
  return it.app.writeNow(() => rawEntry(it.app, draft)).entry.id
}

/** A journal in which MEMBER acts and is spoken of, among others. */
async function journal() {
  const it = await daemon()
  const { userId, email } = it.person('MEMBER')
  it.person('OWNER')
  const own = note(it, 'wrote a poem', { actor_type: 'user', actor_id: userId, payload: { poem: 'marzipan' } })
  const others = note(it, 'somebody else', { payload: { poem: 'nougat' } })
  const named = note(it, `sent to ${email.toUpperCase()}`)
  const deep = note(it, 'deep', { payload: { list: [{ to: `The Member <${email}>` }] } })
  const called = note(it, 'the member came', { payload: { who: 'The MEMBER' } })
  return { it, userId, own, others, named, deep, called }
}

const ask = (it: TestDaemon, user_id: string, reason = 'a request') =>
  it.call('OWNER', 'POST', '/journal/erasures', { user_id, reason })

/** Starts the job and waits until it has ended an erasure. */
async function over(it: TestDaemon): Promise<void> {
  const done = new Promise<void>((resolve) =>
    it.app.bus.on('entry', ({ entry }) => {
      if (entry.entry_type === 'journal.erasure' && entry.payload?.['entries'] !== undefined) resolve()
    }),
  )
  closing(eraseAsked(it.app))
  await done
}

const said = (it: TestDaemon) => it.entries().map(({ id, summary, payload }) => [id, summary, payload])

describe('journal.erase', () => {
  it('blanks what a person did and what names them, and nothing else', async () => {
    const { it, userId, own, others, named, deep, called } = await journal()
    const [before] = it.entries()
    expect(await ask(it, userId)).toMatchObject({
      status: 202,
      body: { user_id: userId, status: 'running', entries: 0 },
    })
    await over(it)
    expect(said(it).slice(0, 5)).toEqual([
      [own, '', undefined],
      [others, 'somebody else', { poem: 'nougat' }],
      [named, '', undefined],
      [deep, '', undefined],
      [called, '', undefined],
    ])
    const { summary: _summary, payload: _payload, ...kept } = before!
    expect(it.entries()[0], 'when, who and what kind of thing stays').toEqual({ ...kept, summary: '' })
    expect((await it.call('OWNER', 'GET', '/journal/erasures')).body).toMatchObject([
      { user_id: userId, reason: 'a request', status: 'done', entries: 4, summaries_kept: 0, looked_through: 1 },
    ])
  })

  it('keeps the chain whole, with the hashes of what was erased', async () => {
    const { it, userId } = await journal()
    const payload = JSON.stringify(it.entries()[0]!.payload)
    await ask(it, userId)
    await over(it)
    expect(await verify(it)).toMatchObject({
      valid: true,
      entries: 7,
      erased: 3,
      erased_summaries: 4,
      compacted: 0,
      not_proven: ['unsealed', 'erased', 'rollback'],
    })
    expect(it.app.db.prepare('SELECT payload_hash FROM journal WHERE seq = 1').pluck().get()).toEqual(hashPart(payload))
  })

  it('is on record for ever, with who asked and why, but without the name', async () => {
    const { it, userId } = await journal()
    await ask(it, userId)
    await over(it)
    const [asked, done] = it.entries().slice(-2)
    expect(asked).toMatchObject({
      entry_type: 'journal.erasure',
      priority: 'permanent',
      actor_id: it.person('OWNER').userId,
      payload: { user_id: userId, reason: 'a request' },
    })
    expect(done).toMatchObject({ priority: 'permanent', actor_type: 'system', payload: { entries: 4 } })
    const { email } = it.person('MEMBER')
    expect(JSON.stringify([asked, done])).not.toContain(email)
    await ask(it, userId)
    await over(it)
    expect(it.entries()).toContainEqual(asked)
    expect(it.entries().at(-1)).toMatchObject({ payload: { entries: 0 } })
  })

  it('is found by no search, not even by what the index still holds', async () => {
    const { it, userId } = await journal()
    const found = async (q: string) => (await it.call('OWNER', 'GET', `/journal?q=${q}`)).body.entries.length
    expect([await found('marzipan'), await found('nougat')]).toEqual([1, 1])
    await ask(it, userId)
    await over(it)
    expect([await found('marzipan'), await found('nougat')]).toEqual([0, 1])
    expect((await it.call('OWNER', 'GET', '/journal/count?q=marzipan')).body).toEqual({ total: 0 })
  })

  it('overwrites what was there, in the database too', async () => {
    const { it, userId } = await journal()
    await ask(it, userId)
    await over(it)
    expect(it.app.db.serialize().includes('marzipan')).toBe(false)
    expect(it.app.db.serialize().includes('nougat'), 'or nothing would be found at all').toBe(true)
  })

  it('works on entries with a priority, and leaves it to them', async () => {
    const { it, userId, own, named } = await journal()
    await it.call('OWNER', 'POST', `/journal/${own}/priority`, { priority: 'pin' })
    await it.call('OWNER', 'POST', `/journal/${named}/priority`, { priority: 'high' })
    await it.call('OWNER', 'POST', `/journal/${named}/priority`, { priority: 'normal' })
    await ask(it, userId)
    await over(it)
    expect(it.entries()[0]).toMatchObject({ summary: '', priority: 'pin' })
    expect(await verify(it)).toMatchObject({ valid: true, erased_summaries: 4 })
  })

  it('of entries of the first versions erases the payload alone, and says how many', async () => {
    const { it, userId, own } = await journal()
    asWrittenBefore(it.app.db, 5)
    await ask(it, userId)
    await over(it)
    expect(said(it)[0]).toEqual([own, 'wrote a poem', undefined])
    expect((await it.call('OWNER', 'GET', '/journal/erasures')).body).toMatchObject([{ entries: 3, summaries_kept: 4 }])
    const question = { ws: it.app.index.names.find(0, it.workspace)!, workspace: it.workspace, head: 5, entries: 5 }
    const verdict = await verifyChain(it.app.db, { ...question, sealed: null, anchor: null })
    expect(verdict).toMatchObject({ valid: true, entries: 5, erased: 3, erased_summaries: 0 })
  })

  it('goes on where a daemon was killed: no entry is counted twice', async () => {
    const { it, userId } = await journal()
    await ask(it, userId)
    const row = it.app.db.prepare('SELECT * FROM journal_erasures').get() as Parameters<typeof blank>[1]
    it.app.writeNow(() => blank(it.app, row, [1], 1))
    await over(it)
    expect(it.entries().at(-1)).toMatchObject({ payload: { entries: 4 } })
    expect(await verify(it)).toMatchObject({ valid: true, erased_summaries: 4 })
  })

  it('leaves an entry that does not hold: it is evidence', async () => {
    const it = await daemon({ quiet: true })
    const { userId } = it.person('MEMBER')
    note(it, 'wrote a poem', { actor_type: 'user', actor_id: userId })
    it.app.db.exec(`UPDATE journal SET doc = replace(doc, 'poem', 'book') WHERE seq = 1`)
    await ask(it, userId)
    await over(it)
    expect(it.entries()[0]).toMatchObject({ summary: 'wrote a book' })
    expect(await verify(it)).toMatchObject({ valid: false, broken: { seq: 1 } })
  })

  it('is refused for oneself, without a reason, twice at once, and of strangers as of nobody', async () => {
    const { it, userId } = await journal()
    expect((await ask(it, it.person('OWNER').userId)).body).toMatchObject({ code: 'own_erasure' })
    expect((await ask(it, userId, ' ')).body).toMatchObject({ code: 'invalid_field', field: 'reason' })
    const [stranger, nobody] = [await ask(it, it.stranger().userId), await ask(it, 'cnobody')]
    expect(stranger).toMatchObject({ status: 404 })
    expect({ ...stranger.body, instance: '' }).toEqual({ ...nobody.body, instance: '' })
    expect(await ask(it, userId)).toMatchObject({ status: 202 })
    expect((await ask(it, userId)).body).toMatchObject({ code: 'erasure_running' })
    expect(await it.call('MANAGER', 'POST', '/journal/erasures', { user_id: userId, reason: 'x' })).toMatchObject({
      status: 403,
    })
  })

  it('is for people who left as well', async () => {
    const { it, userId } = await journal()
    it.app.db.prepare('DELETE FROM workspace_members WHERE user_id = ?').run(userId)
    expect(await ask(it, userId)).toMatchObject({ status: 202 })
  })
})
