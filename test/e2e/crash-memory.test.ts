import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, expect, it } from 'vitest'
import { type Musterd, startMusterd } from '../support/musterd.ts'
import { expectAgreed, proposeInFile } from '../support/proposals.ts'

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

/** The proposals of a new crew. */
async function prepare(): Promise<string[]> {
  daemon = await startMusterd(env)
  const person = { full_name: 'Ada', email: 'ada@example.com', password: 'correct horse battery' }
  const { cli_token, workspace_id } = await call('POST', '/bootstrap', person)
  headers = { authorization: `Bearer ${cli_token}`, 'x-workspace-id': workspace_id }
  const { id } = await call('POST', '/crews', { name: 'Web', slug: 'web' })
  await call('POST', '/agents', { name: 'Ada', slug: 'ada', crew_id: id, memory_enabled: true })
  await daemon.stop()
  return proposeInFile(join(data, 'muster.db'), { id, workspace_id, slug: 'web', name: 'Web' }, rounds * each)
}

const agreed = (ids: string[]) => expectAgreed((path) => call('GET', path), 'web', ids)

it('memory is whole over crashes amid approvals and imports', { timeout: 300_000 }, async () => {
  const ids = await prepare()
  for (let round = 0; round < rounds; round++) {
    daemon = await startMusterd(env)
    await agreed(ids)
    const mine = ids.slice(round * each, (round + 1) * each)
    const asked = [...mine.map((id) => call('POST', `/consolidate/proposed/${id}/approve`)), importing()]
    const answers = Promise.allSettled(asked)
    await pause(Math.random() * (round % 2 ? 30 : 150))
    await daemon.kill()
    await answers
  }
  daemon = await startMusterd(env)
  expect(await agreed(ids)).not.toEqual([])
  expect(await importing()).toMatchObject({ written: 300, failed: 0 })
  const { files } = await call('GET', '/memory/files?path=agent:ada/')
  expect(files).toHaveLength(300)
  const path = `agent:ada/${documents[150]!.path}`
  const { entries } = await call('GET', `/memory/versions?path=${path}`)
  expect(entries).toHaveLength(1)
})
