import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { type IncomingMessage, request } from 'node:http'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { belongings, bridgeAddress, containerOf, engineMissing, removeInstallation } from '../support/engine.ts'
import { type Installation, install } from '../support/installation.ts'
import { leaveOut } from '../support/leave-out.ts'
import { type ModelEndpoint, modelEndpoint } from '../support/model-endpoint.ts'
import { ask } from '../support/ports-http.ts'

// An agent in a container shows what it has built: from its own call to its sidecar to a person's request.

const host = await bridgeAddress()
const missing =
  engineMissing ||
  (host ? false : 'the Docker engine is on another machine, where containers cannot reach the scripted model')
leaveOut(missing)

const MB = 1024 * 1024
const program = `
const block = Buffer.alloc(65536, 'muster')
require('http').createServer((request, response) => {
  if (request.url === '/gigabyte') {
    let left = 1024 * 1024 * 1024
    const more = () => {
      while (left > 0) { left -= block.length; if (!response.write(block)) return response.once('drain', more) }
      response.end()
    }
    return more()
  }
  if (request.url === '/drink') {
    let size = 0
    request.on('data', (chunk) => { size += chunk.length })
    return request.on('end', () => response.end(String(size)))
  }
  response.end('built by ' + require('os').userInfo().uid + ' ' + request.method + ' ' + request.url)
}).listen(3000, '127.0.0.1')`

let model: ModelEndpoint
let daemon: Installation
let crewId: string
let agentId: string
let installation: string
let url: string
let base: string

const shell = [
  `cat > server.js <<'E'\n${program}\nE`,
  'setsid -f node server.js > server.log 2>&1 < /dev/null',
  'curl -s --retry 50 --retry-connrefused --retry-delay 1 http://127.0.0.1:3000/ > first',
  'curl -s -X POST -H "Authorization: Bearer $ANTHROPIC_API_KEY" -d \'{"port":3000,"description":"the shop"}\' ' +
    '"$ANTHROPIC_BASE_URL/expose-port"',
].join('\n')

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  return port
}

const at = (path: string, asked = {}) => ask(base, new URL(url).pathname + path, asked)
const announced = () =>
  JSON.parse(readFileSync(join(daemon.dataDir, 'musterd.json'), 'utf8')) as { pid: number; url: string }
const memory = (name: 'VmRSS' | 'VmHWM'): number =>
  Number(new RegExp(`${name}:\\s+(\\d+)`).exec(readFileSync(`/proc/${announced().pid}/status`, 'utf8'))![1]) * 1024

describe.skipIf(missing)('a port of a crew', () => {
  beforeAll(async () => {
    model = await modelEndpoint(
      (body) => {
        if (body.messages.some(({ role }) => role === 'assistant')) return { text: 'Done.' }
        return { text: 'I build it.', tools: [{ name: 'Bash', input: { command: shell } }] }
      },
      { host: host!, keys: ['sk-ant-api03-ports-e2e'] },
    )
    base = `http://127.0.0.1:${await freePort()}`
    daemon = await install({
      SVC_CONTAINER_PREFIX: 'muster-ports',
      SVC_ANTHROPIC_URL: model.url,
      SVC_EXPOSED_HOST: '127.0.0.1',
      SVC_EXPOSED_PORT: new URL(base).port,
    })
    const { client } = daemon
    crewId = (await client.crews.create({ body: { name: 'Works', slug: 'works', container_memory_mb: 1536 } })).id
    agentId = (await client.agents.create({ body: { name: 'Ada', slug: 'ada', crew_id: crewId } })).id
    const key = await client.credentials.create({
      body: { name: 'main', value: 'sk-ant-api03-ports-e2e', type: 'API_KEY', provider: 'ANTHROPIC' },
    })
    await client.credentials.assign({
      agentId,
      body: { credential_id: key.id, env_var_name: 'ANTHROPIC_API_KEY', priority: 0 },
    })
    await client.crews.start({ crewId })
    installation = (await (await containerOf(crewId)).inspect()).Config.Labels['svc.installation']!
  })
  afterAll(async () => {
    await daemon?.remove()
    await model?.close()
    if (installation) await removeInstallation(installation)
  })

  it('is opened by an agent of its own accord', async () => {
    const { frames, run } = await daemon.turn(agentId, 'Build the shop')
    expect(run.status).toBe('COMPLETED')
    const said = JSON.stringify(frames.filter(({ type }) => type === 'tool_result'))
    url = /http:\/\/127\.0\.0\.1:\d+\/exposed\/[A-Za-z0-9_-]{43}\//.exec(said)![0]
    expect(new URL(url).origin).toBe(base)
    const [row, ...more] = await daemon.client.ports.list({ crewId, query: {} })
    expect(more).toEqual([])
    expect(row).toMatchObject({
      agent_id: agentId,
      agent_slug: 'ada',
      container_port: 3000,
      description: 'the shop',
      status: 'ACTIVE',
    })
  })

  it('shows what the agent has built, after the end of its run', async () => {
    expect(await at('a/b?c', { method: 'PATCH' })).toMatchObject({ status: 200, text: 'built by 20001 PATCH /a/b?c' })
    const { Processes } = (await (await containerOf(crewId)).top({ ps_args: '-eo uid,pid,args' })) as {
      Processes: string[][]
    }
    expect(Processes.filter(([, , args]) => args!.includes('bridge.cjs')).map(([uid, , args]) => [uid, args])).toEqual([
      ['65534', 'node /opt/muster/bridge.cjs'],
    ])
  })

  it('has a listener of its own, where nothing else is', async () => {
    expect(await ask(base, '/api/v1/system/health')).toMatchObject({
      status: 404,
      headers: { 'content-type': 'text/plain; charset=utf-8' },
    })
    const { status } = await ask(announced().url, new URL(url).pathname)
    expect(status).toBe(404)
  })

  it('carries a gigabyte either way in little memory', async () => {
    const call = request(url + 'gigabyte', { agent: false })
    call.end()
    const [answer] = (await once(call, 'response')) as [IncomingMessage]
    writeFileSync(`/proc/${announced().pid}/clear_refs`, '5')
    const before = memory('VmRSS')
    let size = 0
    answer.on('data', (chunk: Buffer) => {
      size += chunk.length
    })
    await once(answer, 'end')
    expect(size).toBe(1024 * MB)

    const up = request(url + 'drink', { method: 'POST', agent: false })
    const block = Buffer.alloc(MB, 'muster')
    for (let n = 0; n < 1024; n++) if (!up.write(block)) await once(up, 'drain')
    up.end()
    const [told] = (await once(up, 'response')) as [IncomingMessage]
    expect(String((await once(told, 'data'))[0])).toBe(String(1024 * MB))
    const grown = memory('VmHWM') - before
    console.log(
      `2 GB through the daemon: ${Math.round(before / MB)} MB resident before, ${Math.round(grown / MB)} MB more ` +
        'at most',
    )
    expect(grown).toBeLessThan(128 * MB)
  })

  it('is open to whom it was before when the daemon comes back', async () => {
    await daemon.kill()
    await daemon.start()
    expect(await at('again')).toMatchObject({ status: 200, text: 'built by 20001 GET /again' })
  })

  it('answers 502 while the container is gone', async () => {
    await daemon.client.crews.stop({ crewId })
    expect((await at('')).status).toBe(502)
    await daemon.client.crews.start({ crewId })
    expect((await at('')).status).toBe(502)
  })

  it('is closed by a person', async () => {
    const [row] = await daemon.client.ports.list({ crewId, query: {} })
    expect(await daemon.client.ports.revoke({ crewId, exposureId: row!.id, body: { reason: 'enough' } })).toEqual({
      status: 'revoked',
    })
    expect((await at('')).status).toBe(404)
    expect(await daemon.stop()).toBe(0)
    expect((await belongings(installation)).length).toBeGreaterThan(0)
    await daemon.start()
    expect((await at('')).status).toBe(404)
  })
})
