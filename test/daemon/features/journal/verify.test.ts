import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { hashPart } from '#kernel/journal/chain'
import { loadSeals, openSealFile, type SealFile } from '#kernel/journal/seal-file'
import { closing, daemon, type TestDaemon } from '#test'
import { asWrittenBefore, relink } from '../../../support/forger.ts'
import { rawEntry } from '../../../support/raw-entry.ts'

const key = Buffer.alloc(32, 7)

/** A journal of ten entries with every column filled, sealed after the fifth and the eighth. */
async function sealedJournal() {
  const dir = mkdtempSync(join(tmpdir(), 'muster-verify-'))
  closing({ close: () => rmSync(dir, { recursive: true, force: true }) })
  const path = join(dir, 'journal.seal')
  const it = await journalOfTen(openSealFile(path, 'i', key, loadSeals(path, key)))
  return { it, path }
}

async function journalOfTen(seals?: SealFile) {
  const it = await daemon({ ...(seals && { seals }) })
  for (let n = 1; n <= 10; n++) {
    it.clock.advance(1000)
    it.app.writeNow(() =>
      rawEntry(it.app, {
        workspace_id: it.workspace,
        type: 'run.started',
        actor_type: 'agent',
        actor_id: 'cactor',
        crew_id: 'ccrew',
        agent_id: 'cagent',
        mission_id: 'cmission',
        trace_id: `r${n}`,
        summary: `step ${n}`,
        payload: { run_id: `r${n}`, n },
      }),
    )
    if (n === 5 || n === 8) await it.app.seals.seal()
  }
  return it
}

const verify = async (it: TestDaemon, anchor?: string) =>
  (
    await it.call(
      'ADMIN',
      'GET',
      `/journal/verify${anchor === undefined ? '' : `?anchor=${encodeURIComponent(anchor)}`}`,
    )
  ).body
const anchorOf = async (it: TestDaemon) => (await it.call('ADMIN', 'GET', '/journal/anchor')).body

describe('journal.verify', () => {
  it('says what is proven, and what cannot be', async () => {
    const { it } = await sealedJournal()
    expect(await verify(it)).toEqual({
      valid: true,
      entries: 10,
      erased: 0,
      erased_summaries: 0,
      compacted: 0,
      head: { id: it.entries().at(-1)!.id, hash: expect.stringMatching(/^[0-9a-f]{64}$/) },
      sealed: { entries: 8, seq: 8, at: '2026-01-01T00:00:08.000Z' },
      resumed: null,
      unsealed: 2,
      proven: ['chain', 'columns', 'order', 'priorities', 'roll_ups', 'seal'],
      not_proven: ['unsealed', 'key_holder', 'rollback'],
      broken: null,
    })
  })

  it('leaves nothing unsealed where the newest seal covers the newest entry', async () => {
    const { it } = await sealedJournal()
    await it.app.seals.seal()
    expect(await verify(it)).toMatchObject({
      valid: true,
      sealed: { entries: 10 },
      unsealed: 0,
      not_proven: ['key_holder', 'rollback'],
    })
  })

  it('notices a member that stands there twice, whichever of the two a reader takes', async () => {
    const { it } = await sealedJournal()
    it.app.db.exec(
      `UPDATE journal SET doc = replace(doc, '"summary":"step 4"', '"summary":"FORGED","summary":"step 4"')
        WHERE seq = 4`,
    )
    expect(await verify(it)).toMatchObject({ valid: false, broken: { kind: 'chain', seq: 4 } })
  })

  it.each([
    ['crew', 'UPDATE journal SET crew = agent WHERE seq = 4'],
    ['crew', 'UPDATE journal SET crew = NULL WHERE seq = 4'],
    ['agent', 'UPDATE journal SET agent = crew WHERE seq = 4'],
    ['type', 'UPDATE journal SET type = crew WHERE seq = 4'],
    ['severity', 'UPDATE journal SET severity = 3 WHERE seq = 4'],
    ['mission', 'UPDATE journal SET mission = NULL WHERE seq = 4'],
    ['trace', 'UPDATE journal SET trace = (SELECT trace FROM journal WHERE seq = 5) WHERE seq = 4'],
    ['actor', 'UPDATE journal SET actor = crew WHERE seq = 4'],
    ['run', 'UPDATE journal SET run = (SELECT run FROM journal WHERE seq = 5) WHERE seq = 4'],
    ['run', 'UPDATE journal SET run = NULL WHERE seq = 4'],
    ['priority', 'UPDATE journal SET priority = 2 WHERE seq = 4'],
    ['combo', 'UPDATE journal SET combo = 99 WHERE seq = 4'],
    ['ts', 'UPDATE journal SET ts = ts - 1 WHERE seq = 4'],
    ['id', `UPDATE journal SET id = 'j_00000000000000ff' WHERE seq = 4`],
    ['trace', `UPDATE journal_names SET text = 'r99' WHERE text = 'r4'`],
  ])('finds a column %s that is not what the entry says', async (column, sql) => {
    const { it } = await sealedJournal()
    it.app.db.exec(sql)
    expect(await verify(it)).toMatchObject({
      valid: false,
      proven: [],
      entries: 3,
      broken: { kind: 'columns', seq: 4, reason: expect.stringContaining(`column ${column} `) },
    })
  })

  it('finds a combination that was put into another workspace', async () => {
    const { it } = await sealedJournal()
    it.app.db.exec('UPDATE journal_combos SET ws = 99')
    expect(await verify(it)).toMatchObject({
      broken: { kind: 'columns', seq: 1, reason: 'the column combo differs from the entry' },
    })
  })

  it('finds an entry that was put into another workspace', async () => {
    const { it } = await sealedJournal()
    const other = it.stranger()
    it.app.writeNow(() =>
      rawEntry(it.app, {
        workspace_id: other.workspace,
        type: 'exec.command',
        actor_type: 'system',
        summary: 'theirs',
      }),
    )
    it.app.db.exec('UPDATE journal SET ws = (SELECT ws FROM journal WHERE seq = 11) WHERE seq = 10')
    expect(await verify(it)).toMatchObject({ broken: { kind: 'truncated', seq: 9 } })
    expect((await it.call(other, 'GET', '/journal/verify')).body).toMatchObject({
      valid: false,
      broken: { kind: 'chain', seq: 10 },
    })
  })

  it('finds ids that do not grow', async () => {
    const { it } = await sealedJournal()
    it.app.db.exec(
      `UPDATE journal SET id = 'j_0000000000000001', doc = json_set(doc, '$.id', 'j_0000000000000001') WHERE seq = 10`,
    )
    relink(it.app.db, 10)
    expect(await verify(it)).toMatchObject({ broken: { kind: 'order', seq: 10 } })
  })

  it.each([
    ['the last rows', 'DELETE FROM journal WHERE seq > 6', 6, '8 were sealed on 2026-01-01T00:00:08.000Z'],
    ['all rows', 'DELETE FROM journal', null, '8 were sealed'],
    ['rows that were not sealed', 'DELETE FROM journal WHERE seq > 9', 9, 'the daemon counts 10'],
  ])('finds that %s are gone', async (_what, sql, seq, reason) => {
    const { it } = await sealedJournal()
    it.app.db.exec(sql)
    expect(await verify(it)).toMatchObject({
      valid: false,
      broken: { kind: 'truncated', seq, reason: expect.stringContaining(reason) },
    })
  })

  it('finds entries that were forged and chained anew, and says between which seals', async () => {
    const { it } = await sealedJournal()
    it.app.db.exec(`UPDATE journal SET doc = json_set(doc, '$.summary', 'nothing happened') WHERE seq = 7`)
    expect(await verify(it)).toMatchObject({ broken: { kind: 'chain', seq: 7 } })
    relink(it.app.db, 7)
    expect(await verify(it)).toMatchObject({
      valid: false,
      entries: 7,
      sealed: { entries: 5 },
      broken: {
        kind: 'forged',
        seq: 8,
        reason: 'entries 6 to 8 are not those that were sealed on 2026-01-01T00:00:08.000Z',
      },
    })
  })

  it('finds an entry that was taken out of the middle, the rest being chained anew', async () => {
    const { it } = await sealedJournal()
    it.app.db.exec('DELETE FROM journal WHERE seq = 2')
    relink(it.app.db, 1)
    expect(await verify(it)).toMatchObject({
      valid: false,
      broken: { kind: 'forged', seq: 6, reason: expect.stringContaining('entries 1 to 5') },
    })
  })

  it('says when the seals are gone or are not those of the daemon', async () => {
    const { it, path } = await sealedJournal()
    const whole = readFileSync(path, 'utf8')
    writeFileSync(path, whole.replace('["', '["x'))
    expect(await verify(it)).toMatchObject({ valid: false, broken: { kind: 'forged', seq: null } })
    writeFileSync(path, whole.slice(0, whole.indexOf('\n') + 1))
    expect(await verify(it)).toMatchObject({
      valid: false,
      broken: { kind: 'forged', reason: expect.stringContaining('not the one that this daemon wrote') },
    })
    rmSync(path)
    expect(await verify(it)).toMatchObject({ valid: false, broken: { kind: 'seal_missing' } })
  })

  it('knows what erased payloads leave open', async () => {
    const { it } = await sealedJournal()
    const { payload, ...rest } = it.entries()[3]!
    it.app.db
      .prepare('UPDATE journal SET doc = ?, payload_hash = ? WHERE seq = 4')
      .run(JSON.stringify(rest), hashPart(JSON.stringify(payload)))
    expect(await verify(it)).toMatchObject({
      valid: true,
      erased: 1,
      not_proven: ['unsealed', 'erased', 'key_holder', 'rollback'],
    })
  })

  it('notices a payload that came back after it was erased', async () => {
    const { it } = await sealedJournal()
    const { payload } = it.entries()[3]!
    it.app.db.prepare('UPDATE journal SET payload_hash = ? WHERE seq = 4').run(hashPart(JSON.stringify(payload)))
    expect(await verify(it)).toMatchObject({
      valid: false,
      entries: 3,
      broken: { kind: 'chain', seq: 4, reason: 'the payload came back after it was erased' },
    })
  })
})

describe('schemes', () => {
  /** Erases what an entry said, as the law may ask: its hash stays. */
  const eraseSummary = (it: TestDaemon, seq: number) => {
    const entry = it.entries()[seq - 1]!
    it.app.db
      .prepare(`UPDATE journal SET doc = json_set(doc, '$.summary', ''), summary_hash = ? WHERE seq = ?`)
      .run(hashPart(JSON.stringify(entry.summary)), seq)
  }
  /** Five entries of an earlier version, five of this one. */
  async function mixed() {
    const it = await journalOfTen()
    asWrittenBefore(it.app.db, 5)
    return it
  }

  it('hold side by side, entries of an earlier version first', async () => {
    const it = await mixed()
    expect(it.app.db.prepare('SELECT scheme FROM journal ORDER BY seq').pluck().all()).toEqual([
      1, 1, 1, 1, 1, 2, 2, 2, 2, 2,
    ])
    expect(await verify(it)).toMatchObject({ valid: true, entries: 10 })
  })

  it('hold when a marker of an earlier entry changes', async () => {
    const it = await mixed()
    await it.call('ADMIN', 'POST', `/journal/${it.entries()[3]!.id}/priority`, { priority: 'pin', reason: 'kept' })
    // The daemon still knows the end of the chain as it was before the entries were made older.
    relink(it.app.db, 11)
    expect(await verify(it)).toMatchObject({ valid: true, entries: 11 })
  })

  it('leave the chain whole when summaries are erased, and payloads with them', async () => {
    const it = await mixed()
    eraseSummary(it, 7)
    eraseSummary(it, 8)
    const { payload, ...rest } = it.entries()[7]!
    it.app.db
      .prepare('UPDATE journal SET doc = ?, payload_hash = ? WHERE seq = 8')
      .run(JSON.stringify(rest), hashPart(JSON.stringify(payload)))
    expect(await verify(it)).toMatchObject({
      valid: true,
      entries: 10,
      erased: 1,
      erased_summaries: 2,
      not_proven: ['unsealed', 'erased', 'rollback'],
    })
  })

  it.each([
    ['an earlier entry that claims to be a later one', 'UPDATE journal SET scheme = 2 WHERE seq = 4', 4],
    ['a later entry that claims to be an earlier one', 'UPDATE journal SET scheme = 1 WHERE seq = 7', 7],
    ['a scheme that there is not', 'UPDATE journal SET scheme = 3 WHERE seq = 7', 7],
    ['another summary', `UPDATE journal SET doc = replace(doc, 'step 7', 'step 8') WHERE seq = 7`, 7],
    ['a summary that was only blanked', `UPDATE journal SET doc = json_set(doc, '$.summary', '') WHERE seq = 7`, 7],
    ['the hash of another summary', `UPDATE journal SET summary_hash = zeroblob(32) WHERE seq = 7`, 7],
    [
      'a blanked summary with the hash of another',
      `UPDATE journal SET doc = json_set(doc, '$.summary', ''), summary_hash = zeroblob(32) WHERE seq = 7`,
      7,
    ],
    [
      'a summary of an earlier entry that was taken away',
      `UPDATE journal SET doc = json_set(doc, '$.summary', ''), summary_hash = zeroblob(32) WHERE seq = 4`,
      4,
    ],
  ])('show %s', async (_what, sql, seq) => {
    const it = await mixed()
    it.app.db.exec(sql)
    expect(await verify(it)).toMatchObject({ valid: false, entries: seq - 1, broken: { kind: 'chain', seq } })
  })

  it('show an erased summary that came back', async () => {
    const it = await mixed()
    eraseSummary(it, 7)
    it.app.db.exec(`UPDATE journal SET doc = json_set(doc, '$.summary', 'step 7') WHERE seq = 7`)
    expect(await verify(it)).toMatchObject({
      valid: false,
      broken: { seq: 7, reason: 'the summary came back after it was erased' },
    })
  })
})

describe('a journal that an earlier version began', () => {
  /** Five entries of scheme 1, sealed and anchored as such; then five of this version, the first two of them sealed. */
  async function upgraded() {
    const dir = mkdtempSync(join(tmpdir(), 'muster-verify-'))
    closing({ close: () => rmSync(dir, { recursive: true, force: true }) })
    const file = join(dir, 'muster.db')
    const before = await daemon({ file })
    const step = (it: TestDaemon, n: number) =>
      it.app.writeNow(() =>
        rawEntry(it.app, {
          workspace_id: before.workspace,
          type: 'run.started',
          actor_type: 'system',
          summary: `step ${n}`,
          payload: { n },
        }),
      )
    const admin = before.person('ADMIN')
    for (const n of [1, 2, 3, 4, 5]) step(before, n)
    asWrittenBefore(before.app.db, 5)
    const path = join(dir, 'journal.seal')
    const it = await daemon({ file, empty: true, seals: openSealFile(path, 'i', key, loadSeals(path, key)) })
    await it.app.seals.seal()
    const { anchor } = (await it.call(admin, 'GET', '/journal/anchor')).body
    for (const n of [6, 7]) step(it, n)
    await it.app.seals.seal()
    for (const n of [8, 9, 10]) step(it, n)
    const check = async () => (await it.call(admin, 'GET', `/journal/verify?anchor=${anchor}`)).body
    return { db: it.app.db, check }
  }

  it('holds with what was added, its seals and its anchor', async () => {
    const { db, check } = await upgraded()
    expect(db.prepare('SELECT group_concat(scheme, ?) FROM journal').pluck().get('')).toBe('1111122222')
    expect(await check()).toMatchObject({
      valid: true,
      entries: 10,
      sealed: { entries: 7 },
      unsealed: 3,
      proven: ['chain', 'columns', 'order', 'priorities', 'roll_ups', 'seal', 'anchor'],
    })
  })

  it.each([
    ['an old summary', `UPDATE journal SET doc = replace(doc, 'step 2', 'step 3') WHERE seq = 2`, 2],
    ['an old payload', `UPDATE journal SET doc = replace(doc, '"n":2', '"n":3') WHERE seq = 2`, 2],
    ['an old entry that is said to be a new one', 'UPDATE journal SET scheme = 2 WHERE seq = 5', 5],
    ['a new entry that is said to be an old one', 'UPDATE journal SET scheme = 1 WHERE seq = 9', 9],
  ])('tells of %s', async (_what, sql, seq) => {
    const { db, check } = await upgraded()
    db.exec(sql)
    expect(await check()).toMatchObject({ valid: false, entries: seq - 1, broken: { kind: 'chain', seq } })
  })

  it.each([
    ['an old summary', `UPDATE journal SET doc = replace(doc, 'step 2', 'step 3') WHERE seq = 2`, 2, 'forged', 5],
    ['old entries made new ones', 'UPDATE journal SET scheme = 2 WHERE seq <= 5', 1, 'forged', 5],
    ['new entries made old ones', 'UPDATE journal SET scheme = 1 WHERE seq = 6', 6, 'forged', 7],
    ['unsealed entries made old ones', 'UPDATE journal SET scheme = 1 WHERE seq >= 8', 8, 'chain', 8],
  ])('tells of %s whose chain was made anew', async (_what, sql, from, kind, seq) => {
    const { db, check } = await upgraded()
    db.exec(sql)
    relink(db, from)
    expect(await check()).toMatchObject({ valid: false, broken: { kind, seq } })
  })
})

describe('priorities', () => {
  async function marked() {
    const { it } = await sealedJournal()
    const mark = (n: number, priority: string) =>
      it.call('ADMIN', 'POST', `/journal/${it.entries()[n - 1]!.id}/priority`, { priority, reason: 'kept' })
    await mark(4, 'pin')
    await mark(6, 'high')
    await mark(6, 'normal')
    expect(await verify(it)).toMatchObject({ valid: true, entries: 13 })
    return it
  }
  const doc = (priority: string) => `UPDATE journal SET doc = json_set(doc, '$.priority', '${priority}')`

  it.each([
    ['a marker that nobody set', `${doc('high')}, priority = 1 WHERE seq = 7`, 7],
    ['a marker that was taken away', `${doc('normal')}, priority = 0 WHERE seq = 4`, 4],
    ['a marker that was set back to an earlier one', `${doc('high')}, priority = 1 WHERE seq = 6`, 6],
    ['a change that the ledger lacks', 'DELETE FROM journal_priorities WHERE seq = 4', 4],
    [
      'a change that only the ledger has',
      `INSERT INTO journal_priorities SELECT 9, 7, 'normal', 'normal', '', set_by, set_at
        FROM journal_priorities WHERE seq = 4`,
      7,
    ],
    [
      'a marker that ledger and entry tell otherwise than the record',
      `${doc('high')}, priority = 1 WHERE seq = 4; UPDATE journal_priorities SET priority = 'high' WHERE seq = 4`,
      4,
    ],
    ['a change that the ledger tells otherwise', `UPDATE journal_priorities SET priority = 'high' WHERE seq = 4`, 4],
  ])('are followed: finds %s', async (_what, sql, seq) => {
    const it = await marked()
    it.app.db.exec(sql)
    expect(await verify(it)).toMatchObject({
      valid: false,
      broken: { kind: 'columns', seq, reason: expect.stringContaining('priority') },
    })
  })

  it('hold when what a change said was erased', async () => {
    const it = await marked()
    const { payload, ...rest } = it.entries()[10]!
    it.app.db
      .prepare('UPDATE journal SET doc = ?, payload_hash = ? WHERE seq = 11')
      .run(JSON.stringify(rest), hashPart(JSON.stringify(payload)))
    expect(await verify(it)).toMatchObject({ valid: true, entries: 13, erased: 1 })
  })

  it('hold that entries were written with', async () => {
    const { it } = await sealedJournal()
    it.app.writeNow(() =>
      rawEntry(it.app, {
        workspace_id: it.workspace,
        type: 'exec.command',
        actor_type: 'system',
        summary: 'ls',
        priority: 'pin',
      }),
    )
    expect(await verify(it)).toMatchObject({ valid: true })
    await it.call('ADMIN', 'POST', `/journal/${it.entries()[10]!.id}/priority`, { priority: 'high' })
    expect(await verify(it)).toMatchObject({ valid: true, entries: 12 })
    it.app.db.exec(`${doc('normal')}, priority = 0 WHERE seq = 11`)
    expect(await verify(it)).toMatchObject({ valid: false, broken: { seq: 11 } })
  })
})

describe('anchors', () => {
  it('tell the head in one word', async () => {
    const { it } = await sealedJournal()
    const { id } = it.entries().at(-1)!
    const { head } = await verify(it)
    const anchor = await anchorOf(it)
    expect(anchor).toEqual({
      workspace_id: it.workspace,
      installation: expect.stringMatching(/^[0-9a-f]{16}$/),
      entries: 10,
      head,
      at: '2026-01-01T00:00:10Z',
      mac: expect.stringMatching(/^[0-9a-f]{64}$/),
      anchor:
        `muster-anchor.1.${anchor.installation}.${it.workspace}.10.${id}.` +
        `${head.hash}.20260101T000010Z.${anchor.mac}`,
    })
  })

  it('tell of one workspace alone', async () => {
    const { it } = await sealedJournal()
    const { head, entries } = await anchorOf(it)
    const other = it.stranger()
    const workspace_id = other.workspace
    const theirs = await it.call(other, 'GET', '/journal/anchor')
    expect(theirs.body, 'before the first entry').toMatchObject({ workspace_id, head: null, entries: 0 })
    it.app.writeNow(() =>
      rawEntry(it.app, { workspace_id, type: 'exec.command', actor_type: 'system', summary: 'elsewhere' }),
    )
    expect(await anchorOf(it)).toMatchObject({ head, entries })
  })

  it('hold while the journal grows, of an empty one too', async () => {
    const fresh = await daemon()
    const { anchor: empty } = await anchorOf(fresh)
    fresh.app.writeNow(() =>
      rawEntry(fresh.app, { workspace_id: fresh.workspace, type: 'exec.command', actor_type: 'system', summary: 'ls' }),
    )
    expect(await verify(fresh, empty)).toMatchObject({
      valid: true,
      proven: expect.arrayContaining(['anchor']),
      not_proven: ['unsealed', 'rollback'],
    })
    const { anchor } = await anchorOf(fresh)
    expect(await verify(fresh, anchor)).toMatchObject({ valid: true, not_proven: ['unsealed'] })
    fresh.app.writeNow(() =>
      rawEntry(fresh.app, { workspace_id: fresh.workspace, type: 'exec.command', actor_type: 'system', summary: 'ls' }),
    )
    expect(await verify(fresh, ` ${anchor}\n`)).toMatchObject({ valid: true, entries: 2 })
  })

  it('show a journal that was cut or forged, whatever the seals say', async () => {
    const { it } = await sealedJournal()
    const { anchor } = await anchorOf(it)
    it.app.db.exec(`UPDATE journal SET doc = json_set(doc, '$.summary', 'forged') WHERE seq = 10`)
    relink(it.app.db, 10)
    expect(await verify(it)).toMatchObject({ valid: true })
    expect(await verify(it, anchor)).toMatchObject({
      valid: false,
      broken: { kind: 'forged', seq: 10, reason: expect.stringContaining('anchored on 20260101T000010Z') },
    })
    it.app.db.exec('DELETE FROM journal WHERE seq > 8')
    expect(await verify(it, anchor)).toMatchObject({
      valid: false,
      broken: { kind: 'truncated', seq: 8, reason: expect.stringContaining('10 were anchored') },
    })
  })

  it('are good for nothing when they were altered or made elsewhere', async () => {
    const { it } = await sealedJournal()
    const { anchor } = await anchorOf(it)
    const altered = anchor.replace('.10.j_', '.9.j_')
    expect(await verify(it, altered)).toMatchObject({
      valid: false,
      broken: { kind: 'replaced', reason: expect.stringContaining('altered') },
    })
    it.app.db.exec(`UPDATE instance_settings SET value = 'abcdef0123456789' WHERE key = 'installation_id'`)
    const there = await anchorOf(it)
    it.app.db.exec(`UPDATE instance_settings SET value = '0123456789abcdef' WHERE key = 'installation_id'`)
    const foreign = there.anchor.replace(/.$/, (last: string) => (last === '0' ? '1' : '0'))
    expect(await verify(it, foreign)).toMatchObject({
      valid: false,
      broken: { kind: 'replaced', reason: 'the anchor was made by another installation' },
    })
  })

  it('are refused when they are none, or of another workspace', async () => {
    const { it } = await sealedJournal()
    const { anchor } = await anchorOf(it)
    const stranger = it.stranger()
    const answers = [
      await it.call('ADMIN', 'GET', '/journal/verify?anchor=hello'),
      await it.call(stranger, 'GET', `/journal/verify?anchor=${anchor}`),
    ]
    for (const { status, body } of answers)
      expect([status, body.code, body.field]).toEqual([400, 'invalid_field', 'anchor'])
    expect((await it.call('MANAGER', 'GET', '/journal/anchor')).status).toBe(403)
  })

  it('need a key', async () => {
    const it = await daemon({ withVault: false })
    expect(await it.call('ADMIN', 'GET', '/journal/anchor')).toMatchObject({
      status: 503,
      body: { code: 'encryption_unavailable' },
    })
  })
})
