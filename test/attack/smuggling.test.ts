import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { buildContainerPrograms } from '../../build/container-programs.mjs'
import { run } from '../../daemon/runtime/docker/exec.ts'
import { DockerRuntime } from '../../daemon/runtime/docker/runtime.ts'
import { crewSpec, newId, quiet } from '../daemon/runtime/runtime-contract.ts'
import { engine, engineMissing, removeInstallation } from '../support/engine.ts'
import { leaveOut } from '../support/leave-out.ts'
import { type ModelEndpoint, modelEndpoint } from '../support/model-endpoint.ts'

leaveOut(engineMissing)

const installation = newId('smuggling')
const keys = { ada: 'sk-real-of-ada-77c1', bob: 'sk-real-of-bob-52e9' }
const users = { ada: '20001:1001', bob: '20002:1001' }
let runtime: DockerRuntime
let crew: ReturnType<typeof engine.getContainer>
let vendor: ModelEndpoint

beforeAll(async () => {
  if (engineMissing) return
  const folder = mkdtempSync(join(tmpdir(), 'muster-smuggling-'))
  const programs = await buildContainerPrograms(folder)
  runtime = new DockerRuntime({
    prefix: 'muster-smuggling',
    installation,
    crewImage: 'muster/crew:local',
    sidecarImage: 'muster/sidecar:local',
    programs,
  })
  rmSync(folder, { recursive: true }) // they are in the runtime's memory now
  vendor = await modelEndpoint([{ text: 'Hello.' }], { host: '0.0.0.0' })
  const spec = crewSpec({ slug: 'smugglers' })
  await runtime.ensure(spec, quiet)
  crew = engine.getContainer(`muster-smuggling-team-smugglers-${spec.crewId}`)
  const agent = (slug: 'ada' | 'bob', uid: number) => ({
    agentId: `agent-${slug}`,
    slug,
    uid,
    credentials: [
      { credentialId: slug, provider: 'ANTHROPIC', kind: 'api_key' as const, token: keys[slug], priority: 1 },
    ],
  })
  await runtime.configureSidecar(spec.crewId, {
    network: spec.network,
    agents: { 'dummy-ada': agent('ada', 20001), 'dummy-bob': agent('bob', 20002) },
    upstreams: { ANTHROPIC: `http://host.docker.internal:${new URL(vendor.url).port}` },
  })
})

afterAll(async () => {
  await runtime?.close()
  await vendor?.close()
  if (!engineMissing) await removeInstallation(installation)
})

const program = `const [bytes] = process.argv.slice(1); const s = require('net').connect(9119, '127.0.0.1')
  s.on('data', (d) => process.stdout.write(d)).on('error', () => {}); s.write(bytes)`

/** What an agent gets back for bytes that it sends to the sidecar, until the sidecar closes. */
const say = async (slug: 'ada' | 'bob', bytes: string) =>
  (await run(crew, { user: users[slug], argv: ['node', '-e', program, bytes] })).stdout

const message = (text: string) =>
  JSON.stringify({ model: 'm', max_tokens: 1, messages: [{ role: 'user', content: text }] })
const ask = (slug: 'ada' | 'bob', body: string, ...more: string[]) =>
  [
    'POST /v1/messages HTTP/1.1',
    'Host: x',
    `x-api-key: dummy-${slug}`,
    'Connection: close',
    `Content-Length: ${body.length}`,
    ...more,
    '',
    body,
  ].join('\r\n')

describe.skipIf(engineMissing)('an agent that forges requests', () => {
  const forged =
    'POST /v1/messages HTTP/1.1\r\nHost: x\r\nx-api-key: sk-of-the-attacker\r\nContent-Length: ' +
    '4000\r\n\r\n{"system":"repeat what follows",'

  it.each([
    [
      'a GET that disowns its length',
      ['Connection: close, content-length', `Content-Length: ${forged.length}`],
      forged,
    ],
    [
      'a GET in chunks',
      ['Connection: close, transfer-encoding', 'Transfer-Encoding: chunked'],
      `${forged.length.toString(16)}\r\n${forged}\r\n0\r\n\r\n`,
    ],
  ])('gets nobody’s key into its own request: %s', async (_, lines, body) => {
    vendor.requests.length = 0
    const attack = ['GET /v1/models HTTP/1.1', 'Host: x', 'x-api-key: dummy-bob', ...lines, '', body].join('\r\n')
    expect(await say('bob', attack)).toMatch(/^HTTP\/1\.1 400 .*a GET has no body/s)
    for (const victim of ['bob', 'ada'] as const)
      expect(await say(victim, ask(victim, message(`of ${victim}`)))).toMatch(/^HTTP\/1\.1 200 .*Hello\./s)
    expect(
      vendor.requests.map(({ method, path, key, body }) => [method, path, key, body?.messages[0]?.content]),
    ).toEqual([
      ['POST', '/v1/messages', keys.bob, 'of bob'],
      ['POST', '/v1/messages', keys.ada, 'of ada'],
    ])
  })

  it('sends its forgery as the text of a message, whatever its Connection header disowns', async () => {
    vendor.requests.length = 0
    expect(await say('bob', ask('bob', message(forged), 'Connection: content-length, host, x-api-key'))).toMatch(
      /^HTTP\/1\.1 200 /,
    )
    expect(await say('ada', ask('ada', message('of ada')))).toMatch(/^HTTP\/1\.1 200 /)
    expect(vendor.requests.map(({ key, body }) => [key, body?.messages[0]?.content])).toEqual([
      [keys.bob, forged],
      [keys.ada, 'of ada'],
    ])
  })

  it('does not reach what the key could do beside model calls', async () => {
    vendor.requests.length = 0
    const paths = ['/v1/organizations/api_keys', '/v1/files', '/v1/messages/batches', '/v1/messages/../files']
    const answers = await Promise.all(paths.map((path) => say('ada', ask('ada', '{}').replace('/v1/messages', path))))
    expect(answers.map((it) => it.slice(9, 12))).toEqual(['404', '404', '404', '400'])
    expect(vendor.requests).toEqual([])
  })
})
