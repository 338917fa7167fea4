import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, expect, it } from 'vitest'
import { fixedClock, daemon as inProcess } from '#test'
import { propose } from '../../daemon/features/consolidate/service.ts'
import { type Musterd, startMusterd } from '../support/musterd.ts'

const data = mkdtempSync(join(tmpdir(), 'muster-crash-'))
const rounds = 8
const each = 3
const env = {
  SVC_DATA_DIR: data,
  SVC_PORT: '0',
  SVC_CONTAINER_PROVIDER: 'process',
  SVC_LOG_LEVEL: 'error',
  SVC_RATELIMIT_DISABLED: 'true',
  SVC_ENV: 'test',
  HOME: data,
}

let daemon: Musterd | undefined
let headers: Record<string, string> = {}
afterAll(async () => {
  await daemon?.kill()
  rmSync(data, { recursive: true, force: true })
})

// biome-ignore lint/suspicious/noExplicitAny: a test states the shape that it expects
async function call(method: string, path: string, body?: object): Promise<any> {
  const reply = await fetch(`${daemon!.url}/api/v1${path}`, {
    method,
    headers: { ...headers, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  })
  const text = await reply.text()
  expect(reply.ok || reply.status === 404, `${method} ${path}: ${reply.status} ${text}`).toBe(true)
  return JSON.parse(text)
}

const documents = Array.from({ length: 300 }, (_, at) => ({
  path: `topics/note-${at}.md`,
  content: `${at} ${'all work and no play, '.repeat(300)}\n`,
}))
const importing = () => call('POST', '/memory/import', { crew_id: 'web', agent_slug: 'ada', documents })

/** Proposals of one rule each, made while no daemon works on the database. */
async function prepare(): Promise<string[]> {
  daemon = await startMusterd(env)
  const person = { full_name: 'Ada', email: 'ada@example.com', password: 'correct horse battery' }
  const { cli_token, workspace_id } = await call('POST', '/bootstrap', person)
  headers = { authorization: `Bearer ${cli_token}`, 'x-workspace-id': workspace_id }
  const { id } = await call('POST', '/crews', { name: 'Web', slug: 'web' })
  await call('POST', '/agents', { name: 'Ada', slug: 'ada', crew_id: id, memory_enabled: true })
  await daemon.stop()
  const clock = fixedClock(new Date().toISOString())
  const { app } = await inProcess({ file: join(data, 'muster.db'), clock, withVault: false, empty: true })
  const crew = { id, workspace_id, slug: 'web', name: 'Web' }
  const about = { crew, entriesScanned: 12, model: 'scripted-1', actor: { actor_type: 'system' as const } }
  const ids = Array.from({ length: rounds * each }, (_, at) => {
    const rule = { pattern: `When case ${at}.`, action: 'Read the log', evidence: [], confidence: 0.9 }
    return app.writeNow(() => propose(app, { ...about, rules: [rule], now: app.now() }))
  })
  app.db.close()
  return ids
}

/** What file, row, card and journal say of each proposal, which must be the same. */
async function expectAgreed(ids: readonly string[]): Promise<number> {
  const { files } = await call('GET', '/memory/files?path=crew:web/')
  const learned = files.filter(({ path }: { path: string }) => path.includes('/topics/learned-'))
  const texts = await Promise.all(
    learned.map(async ({ path }: { path: string }) => (await call('GET', `/memory/file?path=${path}`)).content),
  )
  const { proposals } = await call('GET', '/consolidate/proposed?status=approved&limit=100')
  const { entries } = await call('GET', '/journal?entry_type=memory.consolidated&limit=100')
  const approved = proposals.map((row: { proposal_id: string }) => row.proposal_id)
  const told = entries.map((entry: { payload: { proposal_id: string } }) => entry.payload.proposal_id)
  expect(told.sort()).toEqual([...approved].sort())
  const written = ids.filter((_, at) => {
    const count = texts.join('\n').split(`When case ${at}.`).length - 1
    expect(count).toBeLessThan(2)
    return count === 1
  })
  expect([...written].sort()).toEqual([...approved].sort())
  return approved.length
}

it('memory is whole over crashes amid approvals and imports', { timeout: 300_000 }, async () => {
  const ids = await prepare()
  for (let round = 0; round < rounds; round++) {
    daemon = await startMusterd(env)
    await expectAgreed(ids)
    const mine = ids.slice(round * each, (round + 1) * each)
    const asked = [...mine.map((id) => call('POST', `/consolidate/proposed/${id}/approve`)), importing()]
    const answers = Promise.allSettled(asked)
    await pause(Math.random() * (round % 2 ? 30 : 150))
    await daemon.kill()
    await answers
  }
  daemon = await startMusterd(env)
  expect(await expectAgreed(ids)).toBeGreaterThan(0)
  expect(await importing()).toMatchObject({ written: 300, failed: 0 })
  const { files } = await call('GET', '/memory/files?path=agent:ada/')
  expect(files).toHaveLength(300)
  const path = `agent:ada/${documents[150]!.path}`
  const { entries } = await call('GET', `/memory/versions?path=${path}`)
  expect(entries).toHaveLength(1)
})
