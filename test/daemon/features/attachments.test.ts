import { createHash } from 'node:crypto'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { closing } from '#test'
import { sweep } from '../../../daemon/features/attachments/clearing.ts'
import { RuntimeError } from '../../../daemon/runtime/errors.ts'
import type { FakeRuntime } from '../../support/fake-runtime.ts'
import { formWith } from '../../support/form.ts'
import { type Workplace, workplace } from '../../support/runs.ts'

type Who = Parameters<Workplace<FakeRuntime>['call']>[0]
interface Sent {
  bytes?: Buffer
  filename?: string | null
  type?: string
  name?: string
  chat?: string
  who?: Who
  agent?: string
}

async function place(quiet = false) {
  const dataDir = mkdtempSync(join(tmpdir(), 'muster-attachments-'))
  closing({ close: () => rmSync(dataDir, { recursive: true, force: true }) })
  const it = await workplace({ config: { dataDir }, quiet })
  const chatId = await it.openChat()
  const at = (chat = chatId, agent = it.agentId) => `/agents/${agent}/chats/${chat}/attachments`
  const post = async (payload: Buffer, type: string, who: Who = 'OWNER', path = at()) => {
    const { token, workspace } = typeof who === 'object' && who ? who : it.person(who ?? 'OWNER')
    const headers = { host: 'localhost', authorization: `Bearer ${token}`, 'x-workspace-id': workspace }
    const url = `/api/v1${path}`
    const reply = await it.http.inject({ method: 'POST', url, headers: { ...headers, 'content-type': type }, payload })
    return { status: reply.statusCode, text: reply.payload, body: JSON.parse(reply.payload) }
  }
  const send = async ({ bytes = Buffer.from('a bill'), filename = 'bill.pdf', ...more }: Sent = {}) => {
    const { type = 'application/pdf', name = 'file', chat, agent, who = 'OWNER' } = more
    const form = formWith(bytes, { filename, type, name })
    return post(form.body, form.type, who, at(chat, agent))
  }
  const list = async (who: Who = 'OWNER', chat = chatId) => (await it.call(who, 'GET', at(chat))).body
  const root = join(dataDir, 'attachments')
  /** Paths of all files below the folder of attachments. */
  const kept = () =>
    existsSync(root)
      ? readdirSync(root, { recursive: true, withFileTypes: true })
          .filter((entry) => entry.isFile())
          .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1))
      : []
  const rows = () => it.app.db.prepare<[], { state: string }>('SELECT state FROM attachments').all()
  return { ...it, chatId, at, post, send, list, root, kept, rows }
}

const sha = (bytes: string) => createHash('sha256').update(bytes).digest('hex')

describe('attachments.create', () => {
  it('keeps the bytes, gives them to the agent, and says where', async () => {
    const it = await place()
    const { status, body, text } = await it.send({ who: 'MANAGER' })
    expect(status, text).toBe(201)
    const path = `attachments/${it.chatId}/${body.id}/bill.pdf`
    expect(body).toEqual({ id: body.id, filename: 'bill.pdf', size: 6, path, agent_path: `/output/ada/${path}` })
    expect(it.kept()).toEqual([`${it.crewId}/ada/${path}`])
    expect(readFileSync(join(it.root, it.crewId, 'ada', path), 'utf8')).toBe('a bill')
    expect([...it.runtime.files]).toEqual([[path, 'a bill']])
    expect(await it.list('VIEWER')).toEqual([
      {
        id: body.id,
        workspace_id: it.workspace,
        owner_type: 'chat',
        owner_id: it.chatId,
        filename: 'bill.pdf',
        content_type: 'application/pdf',
        size_bytes: 6,
        sha256: sha('a bill'),
        uploaded_by_user_id: it.person('MANAGER').userId,
        uploaded_by_name: expect.any(String),
        created_at: '2026-01-01T00:00:00Z',
        path,
        agent_path: `/output/ada/${path}`,
      },
    ])
    expect(it.entries().at(-1)).toMatchObject({
      entry_type: 'audit.entity_created',
      agent_id: it.agentId,
      crew_id: it.crewId,
      payload: { entity_type: 'attachment', entity_id: body.id, name: 'bill.pdf' },
    })
  })

  it('is the same one for the same bytes and name in a chat, and is there again if the agent removed it', async () => {
    const it = await place()
    const first = await it.send()
    const entries = it.entries().length
    it.runtime.files.clear()
    expect((await it.send()).body).toEqual(first.body)
    expect([...it.runtime.files.keys()]).toEqual([first.body.path])
    expect(it.kept()).toHaveLength(1)
    expect(it.entries()).toHaveLength(entries)
    const others = await Promise.all([
      it.send({ filename: 'other.pdf' }),
      it.send({ bytes: Buffer.from('another bill') }),
      it.send({ chat: await it.openChat() }),
    ])
    expect(new Set([first, ...others].map(({ body }) => body.id)).size).toBe(4)
  })

  it('is one when it is sent many times at once', async () => {
    const it = await place()
    const answers = await Promise.all(Array.from({ length: 8 }, () => it.send()))
    expect(new Set(answers.map(({ status, body }) => `${status} ${body.id}`)).size).toBe(1)
    expect(await it.list()).toHaveLength(1)
    expect(it.entries().filter(({ payload }) => payload?.['entity_type'] === 'attachment')).toHaveLength(1)
  })

  it.each([
    ['Rechnung für Ö.pdf', 'Rechnung für Ö.pdf'],
    ['../../etc/passwd', 'passwd'],
    ['C:\\\\bills\\\\bill.pdf', 'bill.pdf'],
    ['-rf', '-rf'],
    ['.hidden', '.hidden'],
    ['x'.repeat(255), 'x'.repeat(255)],
  ])('takes the name %s as %s', async (filename, name) => {
    const it = await place()
    expect((await it.send({ filename })).body).toMatchObject({ filename: name })
    expect(it.kept()).toHaveLength(1)
  })

  it.each([['..'], ['.'], ['x'.repeat(256)], ['ö'.repeat(128)], [' '], ['a\u0007b']])(
    'refuses the name %j and keeps nothing',
    async (filename) => {
      const it = await place()
      const { status, body } = await it.send({ filename })
      expect({ status, code: body.code, field: body.field }).toEqual({
        status: 400,
        code: 'invalid_field',
        field: 'file',
      })
      expect({ kept: it.kept(), rows: it.rows() }).toEqual({ kept: [], rows: [] })
    },
  )

  it('takes a media type only when it is one', async () => {
    const it = await place()
    await it.send({ type: 'Image/PNG' })
    await it.send({ type: 'x', filename: 'other' })
    const types = (await it.list()).map((row: { content_type: string }) => row.content_type)
    expect(types.sort()).toEqual(['application/octet-stream', 'image/png'])
  })

  it('takes 25 MB, and refuses one byte more with 400', async () => {
    const it = await place()
    const bytes = Buffer.alloc(25 * 1024 * 1024)
    expect((await it.send({ bytes })).body).toMatchObject({ size: 26_214_400 })
    const { status, body } = await it.send({ bytes: Buffer.concat([bytes, Buffer.from('x')]), filename: 'more' })
    expect({ status, field: body.field, detail: body.detail }).toEqual({
      status: 400,
      field: 'file',
      detail: 'A file has at most 25 MB',
    })
    expect(it.kept()).toHaveLength(1)
  })

  it('refuses a form without a file, and what is no form', async () => {
    const it = await place()
    expect((await it.send({ name: 'other' })).body).toMatchObject({ status: 400, code: 'missing_field', field: 'file' })
    const cut = formWith(Buffer.from('x'.repeat(1000)))
    const short = await it.post(cut.body.subarray(0, 500), cut.type)
    expect(short.body).toMatchObject({ status: 400, code: 'invalid_field', field: 'file' })
    expect((await it.post(cut.body, 'multipart/form-data')).status).toBe(400)
    expect((await it.call('OWNER', 'POST', it.at(), {})).status).toBe(415)
    expect({ kept: it.kept(), rows: it.rows() }).toEqual({ kept: [], rows: [] })
  })

  it('keeps nothing of an upload that breaks off', async () => {
    const it = await place()
    const { body, type } = formWith(Buffer.alloc(500_000))
    const { port, hostname } = new URL(it.base)
    const upload = request({
      host: hostname,
      port,
      method: 'POST',
      path: `/api/v1${it.at()}`,
      headers: {
        authorization: `Bearer ${it.person('OWNER').token}`,
        'x-workspace-id': it.workspace,
        'content-type': type,
        'content-length': body.length,
      },
    })
    upload.on('error', () => {})
    upload.write(body.subarray(0, 400_000))
    await expect.poll(() => it.kept()).toHaveLength(1)
    upload.destroy()
    await expect.poll(() => it.kept()).toEqual([])
    expect(it.rows()).toEqual([])
  })

  it.each([
    [new RuntimeError('not_running', 'stopped'), 409, 'crew_not_running'],
    [new RuntimeError('refused', 'No space left on device'), 502, 'runtime_failed'],
    [new RuntimeError('unreachable', 'gone'), 503, 'runtime_unavailable'],
  ])('keeps nothing when the agent cannot be given the file: %s', async (error, status, code) => {
    const it = await place()
    it.runtime.refuseDelivery = error
    expect((await it.send()).body).toMatchObject({ status, code })
    expect({ kept: it.kept(), rows: it.rows(), list: await it.list() }).toEqual({ kept: [], rows: [], list: [] })
    expect((await it.send()).status).toBe(201)
  })

  it('keeps nothing when the data folder cannot be written', async () => {
    const it = await place(true)
    writeFileSync(it.root, 'no folder')
    expect((await it.send()).status).toBeGreaterThanOrEqual(500)
    expect(it.rows()).toEqual([])
  })

  it('needs the role MANAGER, before the body is read', async () => {
    const it = await place()
    for (const who of ['MEMBER', 'VIEWER'] as const)
      expect((await it.send({ who })).body).toMatchObject({ status: 403, code: 'insufficient_role' })
    expect(it.kept()).toEqual([])
  })

  it('is refused for a chat of another agent, and absent for an unknown and a foreign one', async () => {
    const it = await place()
    const other = await it.mate('bob')
    expect((await it.send({ agent: other })).body).toMatchObject({ status: 403, code: 'foreign_chat' })
    expect((await it.call('OWNER', 'GET', it.at(it.chatId, other))).status).toBe(404)
    expect((await it.send({ chat: 'none' })).status).toBe(404)
    expect((await it.send({ who: it.stranger() })).status).toBe(404)
    expect((await it.call(it.stranger(), 'GET', it.at())).status).toBe(404)
  })

  it('needs an agent with a crew', async () => {
    const it = await place()
    const { body } = await it.call('OWNER', 'POST', '/agents', { name: 'Free', slug: 'free' })
    const chat = await it.openChat(body.id)
    expect((await it.send({ agent: body.id, chat })).body).toMatchObject({ status: 409, code: 'crew_not_running' })
  })
})

describe('attachments.list', () => {
  it('has the newest first', async () => {
    const it = await place()
    for (const filename of ['a', 'b', 'c']) {
      await it.send({ filename })
      it.clock.advance(1000)
    }
    expect((await it.list()).map(({ filename }: { filename: string }) => filename)).toEqual(['c', 'b', 'a'])
  })
})

it('an attachment is not downloaded from here', async () => {
  const it = await place()
  const { body } = await it.send()
  const answer = await it.call('OWNER', 'GET', `${it.at()}/${body.id}`)
  expect({ status: answer.status, allow: answer.headers['allow'] }).toEqual({ status: 405, allow: 'DELETE' })
  expect((await it.call('OWNER', 'GET', `${it.at()}/${body.id}/download`)).status).toBe(404)
})

describe('attachments.remove', () => {
  it('removes bytes and row, again and again', async () => {
    const it = await place()
    const { body } = await it.send()
    const path = `${it.at()}/${body.id}`
    expect((await it.call('MEMBER', 'DELETE', path)).status).toBe(403)
    expect((await it.call('OWNER', 'DELETE', path)).status).toBe(204)
    expect({ kept: it.kept(), rows: it.rows(), files: it.runtime.files.size }).toEqual({ kept: [], rows: [], files: 0 })
    expect(readdirSync(it.root)).toEqual(['.incoming'])
    expect(it.entries().at(-1)).toMatchObject({
      entry_type: 'audit.entity_deleted',
      payload: { entity_id: body.id, name: 'bill.pdf' },
    })
    const entries = it.entries().length
    expect((await it.call('OWNER', 'DELETE', path)).status).toBe(204)
    expect(it.entries()).toHaveLength(entries)
    expect((await it.send()).body.id).not.toBe(body.id)
  })

  it('leaves the one of another chat', async () => {
    const it = await place()
    const { body } = await it.send()
    const path = `${it.at(await it.openChat())}/${body.id}`
    expect((await it.call('OWNER', 'DELETE', path)).status).toBe(204)
    expect(await it.list()).toHaveLength(1)
  })

  it('is over for people at once; what a stopped crew has goes when it runs', async () => {
    const it = await place()
    const { body } = await it.send()
    it.runtime.refuseWithdrawal = new RuntimeError('not_running', 'stopped')
    expect((await it.call('OWNER', 'DELETE', `${it.at()}/${body.id}`)).status).toBe(204)
    expect({ kept: it.kept(), list: await it.list(), rows: it.rows() }).toEqual({
      kept: [],
      list: [],
      rows: [{ state: 'gone' }],
    })
    it.runtime.refuseWithdrawal = null
    await sweep(it.app)
    expect({ rows: it.rows(), files: it.runtime.files.size }).toEqual({ rows: [], files: 0 })
  })
})

describe('attachments', () => {
  it('go with their chat', async () => {
    const it = await place()
    await it.send()
    await it.send({ filename: 'other' })
    expect((await it.call('OWNER', 'DELETE', `/agents/${it.agentId}/chats/${it.chatId}`)).status).toBe(204)
    await expect.poll(it.rows).toEqual([])
    expect({ kept: it.kept(), files: it.runtime.files.size }).toEqual({ kept: [], files: 0 })
  })

  it('go with their agent', async () => {
    const it = await place()
    await it.send()
    expect((await it.call('OWNER', 'DELETE', `/agents/${it.agentId}`)).status).toBe(200)
    await expect.poll(it.rows).toEqual([])
    expect(it.kept()).toEqual([])
  })

  it('that were never finished are swept after an hour', async () => {
    const it = await place()
    await it.send()
    it.app.db.prepare("UPDATE attachments SET state = 'pending'").run()
    writeFileSync(join(it.root, '.incoming', 'left'), 'x')
    it.clock.advance(3_600_000)
    await sweep(it.app)
    expect(it.rows()).toEqual([{ state: 'pending' }])
    it.clock.advance(1000)
    await sweep(it.app)
    expect({ rows: it.rows(), files: it.runtime.files.size }).toEqual({ rows: [], files: 0 })
  })
})
