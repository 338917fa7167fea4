import { type ChildProcess, execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { certificate as trusted } from '../../../support/fake-server.ts'
import { sidecarProgram } from './program.ts'
import { rawVendor } from './raw.ts'
import { call, config, credential, onEnd } from './support.ts'

const folder = mkdtempSync(join(tmpdir(), 'sidecar-tls-'))
const path = (name: string) => join(folder, name)
const real = 'sk-real-over-tls'
const seen: { host: string | undefined; key: unknown; sni: string | false }[] = []
let vendor: Server
let upstream: string
let start: Awaited<ReturnType<typeof sidecarProgram>>

/** A certificate for `name` that signs itself. */
function certificate(name: string): { key: Buffer; cert: Buffer } {
  const made = [
    'req',
    '-x509',
    '-newkey',
    'ec',
    '-pkeyopt',
    'ec_paramgen_curve:prime256v1',
    '-nodes',
    '-days',
    '2',
    '-subj',
    `/CN=${name}`,
  ]
  execFileSync(
    'openssl',
    [...made, '-addext', `subjectAltName=DNS:${name}`, '-keyout', path('key'), '-out', path('cert')],
    { stdio: 'pipe' },
  )
  return { key: readFileSync(path('key')), cert: readFileSync(path('cert')) }
}

/** Certificates are made when they are needed; Node itself cannot make any. */
const openssl = (() => {
  try {
    return Boolean(execFileSync('openssl', ['version'], { stdio: 'pipe' }))
  } catch {
    return false
  }
})()

it.skipIf(openssl)('says why TLS is left out', ({ task }) => {
  Object.assign(task.file.meta, {
    leftOut: 'there is no openssl command to make certificates with (Debian: apt-get install openssl)',
  })
})

beforeAll(async () => {
  if (!openssl) return
  vendor = createServer(certificate('localhost'), (req, res) => {
    seen.push({
      host: req.headers.host,
      key: req.headers['x-api-key'],
      sni: (req.socket as unknown as { servername: string | false }).servername,
    })
    res.end('over tls')
  }).listen(0, '127.0.0.1')
  await once(vendor, 'listening')
  upstream = `https://localhost:${(vendor.address() as AddressInfo).port}`
  start = await sidecarProgram(folder)
})

afterAll(() => {
  vendor?.close()
  rmSync(folder, { recursive: true })
})

async function sidecar(env: NodeJS.ProcessEnv): Promise<{ url: string; child: ChildProcess }> {
  const { port, child } = await start(config([credential('ANTHROPIC', real)], { ANTHROPIC: upstream }), env)
  return { url: `http://127.0.0.1:${port}/v1/messages`, child }
}

describe.skipIf(!openssl)('an upstream over TLS', () => {
  it('is called by its name, each time over a connection of its own', async () => {
    const connections: unknown[] = []
    vendor.on('secureConnection', (it) => connections.push(it))
    const { url, child } = await sidecar({ NODE_EXTRA_CA_CERTS: path('cert') })
    for (let i = 0; i < 2; i++)
      expect(await call(url, { headers: { 'x-api-key': 'dummy-ada' } })).toMatchObject({
        status: 200,
        body: 'over tls',
      })
    expect(seen).toEqual(Array(2).fill({ host: new URL(upstream).host, key: real, sni: 'localhost' }))
    expect(connections).toHaveLength(2)
    child.kill()
  })

  it('is judged by its address where it has no name', async () => {
    const { url, heard, close } = await rawVendor(() => ['HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok'], true)
    onEnd(close)
    const given = config([credential('ANTHROPIC', real)], { ANTHROPIC: url.replace('localhost', '127.0.0.1') })
    const { port, child } = await start(given, { NODE_EXTRA_CA_CERTS: trusted })
    onEnd(() => child.kill())
    expect(await call(`http://127.0.0.1:${port}/v1/messages`, { headers: { 'x-api-key': 'dummy-ada' } })).toMatchObject(
      { status: 200, body: 'ok' },
    )
    expect(heard).toHaveLength(1)
  })

  it('gets no key when its certificate is not trusted', async () => {
    seen.length = 0
    const { url, child } = await sidecar({})
    expect(await call(url, { headers: { 'x-api-key': 'dummy-ada' } })).toMatchObject({
      status: 502,
      body: expect.stringContaining('SELF_SIGNED_CERT'),
    })
    expect(seen).toEqual([])
    child.kill()
  })
})
