import { describe, expect, it } from 'vitest'
import { closing, daemon, type Person, type TestDaemon } from '#test'
import { kept, rules } from '../../../../daemon/features/admin/subjects/tables.ts'
import { eraseAsked } from '../../../../daemon/features/journal/erasure/jobs.ts'
import { furnish } from '../../../support/furnish.ts'
import { peopleIn, personalColumns, rowAbout } from '../../../support/personal-rows.ts'

const reason = 'Request of 26 November'
const read = (it: TestDaemon, who: Person | 'OWNER' | 'ADMIN' | 'MANAGER', user: string) =>
  it.call(who, 'GET', `/admin/users/${user}/data`)
const purge = (it: TestDaemon, who: Person | 'OWNER' | 'ADMIN' | 'MANAGER', user: string, body: object = { reason }) =>
  it.call(who, 'DELETE', `/admin/users/${user}/data`, body)
const actions = (it: TestDaemon) =>
  it.app.db.prepare('SELECT action, status, reason, error FROM gdpr_actions ORDER BY rowid').all()

/** Somebody who is named in every table that names people, in a workspace with one of everything. */
async function busy() {
  const it = await daemon()
  const ada = it.person('ADMIN')
  const ids = await furnish(it, ada, 'web')
  const { db } = it.app
  db.pragma('foreign_keys = OFF')
  db.pragma('ignore_check_constraints = ON')
  for (const rule of rules) rowAbout(db, rule, { user: ada.userId, email: ada.email, workspace: it.workspace })
  db.pragma('ignore_check_constraints = OFF')
  db.pragma('foreign_keys = ON')
  return { ...it, ada, ids }
}

describe('tables that name people', () => {
  it('are erased or unnamed by an erasure, or there is a reason why not', async () => {
    const { app } = await daemon()
    const known = new Set(rules.flatMap(({ table, columns }) => columns.map((column) => `${table}.${column}`)))
    const forgotten = personalColumns(app.db).filter(
      ({ table, column }) => !known.has(`${table}.${column}`) && !kept[table] && !kept[`${table}.${column}`],
    )
    expect(forgotten).toEqual([])
  })

  it('are there, with the columns that the list names', async () => {
    const { app } = await daemon()
    const columns = app.db.prepare('SELECT name FROM pragma_table_info(?)').pluck()
    const missing = rules.filter((it) => !it.columns.every((name) => columns.all(it.table).includes(name)))
    expect(missing).toEqual([])
    const named = Object.keys(kept).map((name) => name.split('.') as [string, string?])
    expect(named.filter(([table, name]) => !columns.all(table).includes(name ?? columns.all(table)[0]))).toEqual([])
  })
})

describe('admin.purgeData', () => {
  it('leaves nobody’s id, address or name in any table of the workspace', async () => {
    const it = await busy()
    const { userId, email } = it.ada
    const before = peopleIn(it.app.db, [userId, email])
    expect(before.length, 'or nothing would be tried').toBeGreaterThan(rules.length * 0.9)
    const { status, body } = await purge(it, 'OWNER', userId)
    expect(body.error).toBeUndefined()
    expect(status).toBe(202)
    const left = peopleIn(it.app.db, [userId, email, 'The ADMIN'])
    const isKept = (place: string) => kept[place] || kept[place.split('.')[0]!]
    // The journal is erased by itself from here on.
    expect(left.filter((place) => !isKept(place) && !place.startsWith('journal'))).toEqual([])
  })

  it('says what it did, table by table, and what stays', async () => {
    const it = await busy()
    const { body } = await purge(it, 'OWNER', it.ada.userId)
    expect(body).toMatchObject({
      action_id: expect.any(String),
      data_subject: it.ada.userId,
      workspace_id: it.workspace,
      membership_ended: true,
      journal_erasure: { id: expect.any(String), status: 'running' },
      scope: { peer_cards: 1, memory_versions: expect.any(Number), inbox_items: expect.any(Number), user_models: 0 },
      unnamed: { agents: expect.any(Number), chats: expect.any(Number) },
    })
    const sum = (counts: Record<string, number>) => Object.values(counts).reduce((all, n) => all + n, 0)
    expect(body.rows_deleted).toBe(sum(body.scope))
    expect(body.rows_unnamed).toBe(sum(body.unnamed))
    expect(body.memory_blobs.kept).toBeGreaterThan(0)
    const blobs = it.app.db.prepare('SELECT count(*) FROM memory_blobs').pluck().get()
    expect(blobs, 'contents are stored by their hash and stay').toBeGreaterThan(0)
  })

  it('keeps what others have, there and in other workspaces', async () => {
    const it = await busy()
    const other = it.stranger()
    const { db } = it.app
    db.pragma('foreign_keys = OFF')
    rowAbout(db, rules[0]!, { user: it.ada.userId, email: it.ada.email, workspace: other.workspace })
    const bea = it.person('MEMBER')
    rowAbout(db, rules[0]!, { user: bea.userId, email: bea.email, workspace: it.workspace })
    db.pragma('foreign_keys = ON')
    await purge(it, 'OWNER', it.ada.userId)
    const cards = db.prepare('SELECT user_id, workspace_id FROM peer_cards').all()
    expect(cards).toContainEqual({ user_id: it.ada.userId, workspace_id: other.workspace })
    expect(cards).toContainEqual({ user_id: bea.userId, workspace_id: it.workspace })
    expect(cards).not.toContainEqual({ user_id: it.ada.userId, workspace_id: it.workspace })
    expect((await it.call(bea, 'GET', '/labels')).status).toBe(200)
  })

  it('ends the membership', async () => {
    const it = await busy()
    await purge(it, 'OWNER', it.ada.userId)
    expect((await it.call(it.ada, 'GET', '/crews')).status).toBe(403)
    expect((await it.call(it.ada, 'GET', '/users/me')).status, 'the account is the person’s').toBe(200)
  })

  it('erases what the journal says, and keeps the proof that it was done', async () => {
    const it = await busy()
    const done = new Promise<void>((resolve) =>
      it.app.bus.on('entry', ({ entry }) => entry.payload?.['summaries_kept'] !== undefined && resolve()),
    )
    const { body } = await purge(it, 'OWNER', it.ada.userId)
    closing(eraseAsked(it.app))
    await done
    const said = it.entries().map(({ summary, payload }) => `${summary} ${JSON.stringify(payload)}`)
    expect(said.filter((text) => text.includes(it.ada.email))).toEqual([])
    const proof = it.entries().filter(({ payload }) => payload?.['entity_type'] === 'gdpr_action')
    expect(proof).toMatchObject([
      {
        entry_type: 'audit.entity_created',
        priority: 'permanent',
        actor_id: it.person('OWNER').userId,
        payload: { entity_id: body.action_id, metadata: { data_subject_id: it.ada.userId, action: 'delete', reason } },
      },
      {
        entry_type: 'audit.entity_updated',
        payload: { metadata: { status: 'done', rows_deleted: body.rows_deleted, rows_unnamed: body.rows_unnamed } },
      },
    ])
    expect((await it.call('OWNER', 'GET', '/journal/verify')).body).toMatchObject({ valid: true })
  })

  it('a second time erases nothing, and is on record as well', async () => {
    const it = await busy()
    await purge(it, 'OWNER', it.ada.userId)
    it.app.db.prepare("UPDATE journal_erasures SET ended_at = 'now'").run()
    const { status, body } = await purge(it, 'OWNER', it.ada.userId)
    expect(status).toBe(202)
    expect(body).toMatchObject({
      rows_deleted: 0,
      rows_unnamed: 0,
      membership_ended: false,
      scope: { peer_cards: 0, memory_versions: 0, inbox_items: 0, user_models: 0 },
    })
    expect(actions(it)).toEqual([
      { action: 'delete', status: 'done', reason, error: null },
      { action: 'delete', status: 'done', reason, error: null },
    ])
  })

  it('does the rest where a part fails, says which with 207, and does that part the next time', async () => {
    const it = await busy()
    const { db } = it.app
    db.exec("CREATE TRIGGER refuse BEFORE DELETE ON peer_cards BEGIN SELECT raise(ABORT, 'Ada is dear to us'); END")
    it.app.log.level = 'silent'
    const first = await purge(it, 'OWNER', it.ada.userId)
    expect(first.status).toBe(207)
    expect(first.body.scope).toMatchObject({ peer_cards: 0, inbox_items: expect.any(Number) })
    expect(first.body.error).toBe('peer_cards could not be erased: SQLITE_CONSTRAINT_TRIGGER')
    db.exec('DROP TRIGGER refuse')
    db.prepare("UPDATE journal_erasures SET ended_at = 'now'").run()
    const second = await purge(it, 'OWNER', it.ada.userId)
    expect(second).toMatchObject({ status: 202, body: { rows_deleted: 1, scope: { peer_cards: 1 } } })
    expect(actions(it)).toMatchObject([{ status: 'partial', error: first.body.error }, { status: 'done' }])
  })

  it('tells of a journal that is being erased already', async () => {
    const it = await busy()
    it.app.log.level = 'silent'
    await it.call('OWNER', 'POST', '/journal/erasures', { user_id: it.ada.userId, reason })
    expect(await purge(it, 'OWNER', it.ada.userId)).toMatchObject({
      status: 207,
      body: { journal_erasure: null, error: 'journal could not be erased: erasure_running' },
    })
  })

  it('is done once at a time', async () => {
    const it = await busy()
    const [one, other] = await Promise.all([purge(it, 'OWNER', it.ada.userId), purge(it, 'OWNER', it.ada.userId)])
    expect([one, other].map(({ status }) => status).sort()).toEqual([202, 409])
    expect([one, other].find(({ status }) => status === 409)?.body.code).toBe('erasure_running')
  })

  it('gives open questions to others, who can still answer them', async () => {
    const it = await daemon()
    const { userId } = it.person('MEMBER')
    it.app.db
      .prepare(
        `INSERT INTO inbox_items (id, workspace_id, kind, source_id, audience, title, priority, blocking, created_at,
          updated_at) VALUES ('ibx_x_1', ?, 'escalation', '1', ?, 'May I?', 'high', 1, '', '')`,
      )
      .run(it.workspace, `user:${userId}`)
    const { body } = await purge(it, 'OWNER', userId)
    expect(body).toMatchObject({ scope: { inbox_items: 0 }, unnamed: { inbox_items: 1 } })
    expect((await it.call('OWNER', 'GET', '/inbox')).body.rows).toMatchObject([{ id: 'ibx_x_1' }])
  })

  it.each([
    ['no reason', {}, 'missing_field', 'reason'],
    ['a blank reason', { reason: ' \n ' }, 'invalid_field', 'reason'],
    ['a reason that ends C strings', { reason: 'a\0b' }, 'invalid_field', 'reason'],
    ['an endless reason', { reason: 'x'.repeat(501) }, 'invalid_field', 'reason'],
  ])('refuses %s', async (_, body, code, field) => {
    const it = await daemon()
    const { userId } = it.person('MEMBER')
    expect(await purge(it, 'OWNER', userId, body)).toMatchObject({ status: 400, body: { code, field } })
    expect(actions(it)).toEqual([])
  })

  it('is refused to MANAGERs, for oneself, for OWNERs, for strangers and for nobody', async () => {
    const it = await daemon()
    const codes = async (who: 'OWNER' | 'ADMIN' | 'MANAGER', user: string) => {
      const { status, body } = await purge(it, who, user)
      return [status, body.code]
    }
    expect(await codes('MANAGER', it.person('MEMBER').userId)).toEqual([403, 'insufficient_role'])
    expect(await codes('ADMIN', it.person('ADMIN').userId)).toEqual([409, 'own_erasure'])
    expect(await codes('ADMIN', it.person('OWNER').userId)).toEqual([409, 'owner_remains'])
    expect(await codes('ADMIN', it.stranger().userId)).toEqual([404, 'not_found'])
    expect(await codes('ADMIN', 'cabsent')).toEqual([404, 'not_found'])
    expect(actions(it)).toEqual([])
  })
})

describe('admin.exportData', () => {
  it('gives cards, versions and items of a person, and records that', async () => {
    const it = await busy()
    const { body, status } = await read(it, 'OWNER', it.ada.userId)
    expect(status).toBe(200)
    expect(body).toMatchObject({
      data_subject_id: it.ada.userId,
      workspace_id: it.workspace,
      exported_at: it.app.now(),
      action_id: expect.any(String),
      peer_cards: [
        { agent_id: it.ids['agentId'], bytes: expect.any(Number), user_slug: expect.stringMatching(/^[0-9a-f]{16}$/) },
      ],
      totals: { peer_cards: 1, memory_versions: body.memory_versions.length, inbox_items: body.inbox_items.length },
    })
    expect(body.peer_cards[0].path).toBe(`agent:web/peers/${body.peer_cards[0].user_slug}.md`)
    const written = body.memory_versions.find(({ path }: { path: string }) => path === 'agent:web/AGENT.md')
    expect(written).toMatchObject({ tier: 'agent', written_by: it.ada.userId, payload_ref: `sha256:${written.sha256}` })
    expect(Object.keys(body.inbox_items[0]).sort()).toEqual(
      ['body_md', 'created_at', 'id', 'kind', 'payload_json', 'source_id', 'state', 'title'].sort(),
    )
    expect(actions(it)).toEqual([{ action: 'export', status: 'done', reason: null, error: null }])
    const told = it.entries().at(-1)!
    expect(told).toMatchObject({ entry_type: 'audit.entity_created', payload: { entity_id: body.action_id } })
    expect(JSON.stringify(told)).not.toContain(it.ada.email)
  })

  it('is empty once the person is erased, and tells nothing of others', async () => {
    const it = await busy()
    const none = { peer_cards: [], memory_versions: [], inbox_items: [] }
    expect((await read(it, 'OWNER', it.person('VIEWER').userId)).body).toMatchObject(none)
    await purge(it, 'OWNER', it.ada.userId)
    expect((await read(it, 'OWNER', it.ada.userId)).body).toMatchObject(none)
  })

  it('is for ADMINs, and of those whom the workspace knows', async () => {
    const it = await daemon()
    const { userId } = it.person('MEMBER')
    expect((await read(it, 'MANAGER', userId)).body).toMatchObject({ code: 'insufficient_role' })
    expect((await read(it, 'ADMIN', userId)).status).toBe(200)
    expect((await read(it, 'ADMIN', it.person('ADMIN').userId)).status).toBe(200)
    expect((await read(it, 'ADMIN', it.stranger().userId)).status).toBe(404)
    expect((await read(it, 'ADMIN', 'cabsent')).status).toBe(404)
    expect(actions(it)).toHaveLength(2)
  })
})
