import type { ChildProcess } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { certificate } from '../../../support/fake-server.ts'
import { type Asked, type Visit, visits } from './generated.ts'
import { sidecarProgram } from './program.ts'
import { type Heard, type Plain, rawVendor, visit } from './raw.ts'
import { config, credential, onEnd, sidecar } from './support.ts'

const keys = { ada: 'sk-real-of-ada-1f5a', bob: 'sk-real-of-bob-2e6b' }
const agents = {
  'dummy-ada': { agentId: '1', slug: 'ada', credentials: [credential('ANTHROPIC', keys.ada)] },
  'dummy-bob': { agentId: '2', slug: 'bob', credentials: [credential('ANTHROPIC', keys.bob)] },
}

/**
 * Answers as the request's nonce asks, and repeats the nonce, the key and, where nobody may hear it, the word
 * "unasked".
 */
function reply({ headers }: Plain): [bytes: string, closes?: boolean] {
  const id = headers.get('user-agent') ?? 'none'
  const text = `echo of ${id}.`
  const extra = `x-key: ${headers.get('x-api-key')}\r\nset-cookie: unasked=1\r\n`
  const sized = `content-length: ${text.length}\r\n\r\n${text}`
  const whole = `HTTP/1.1 200 OK\r\n${extra}${sized}`
  const second = 'HTTP/1.1 200 OK\r\ncontent-length: 7\r\n\r\nunasked'
  switch (id.split('-')[1]) {
    case 'chunks':
      return [
        `HTTP/1.1 200 OK\r\n${extra}transfer-encoding: ` +
          `chunked\r\n\r\n${text.length.toString(16)}\r\n${text}\r\n0\r\nx-key: unasked\r\n\r\n`,
      ]
    case 'surplus':
      return [whole + second.repeat(2)]
    case 'early':
      return [whole, true]
    case 'hints':
      return [`HTTP/1.1 103 Early Hints\r\nlink: unasked\r\n\r\n${whole}`]
    case 'switch':
      return ['HTTP/1.1 101 Switching Protocols\r\nupgrade: unasked\r\nconnection: upgrade\r\n\r\nunasked']
    case 'gone':
      return ['', true]
    case 'short':
      return [`HTTP/1.1 200 OK\r\n${extra}content-length: 999\r\n\r\n${text}`, true]
    case 'both':
      return [`HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\ncontent-length: 3\r\n\r\n1\r\na\r\n0\r\n\r\n${second}`]
    case 'splits':
      return [`HTTP/1.1 200 OK\r\nx-a: b\runasked: c\r\n${sized}`]
    default:
      return [whole]
  }
}

const served = ['plain', 'chunks', 'surplus', 'early', 'hints']

/** Sends what was generated and holds it against what the vendor heard and what came back. */
async function judge(
  port: number,
  heard: Heard[],
  all: Visit[],
  sent: Map<string, { asked: Asked; by: Visit }>,
  arrived: Set<string>,
): Promise<void> {
  for (const by of all) for (const asked of by.asked) sent.set(asked.id, { asked, by })
  const got = await Promise.all(all.map(({ bytes, leaving }) => visit(port, bytes, leaving)))
  for (const [index, { asked, leaving }] of all.entries()) {
    const echoed = [...got[index]!.matchAll(/echo of ([\w-]+)\./g)].map(([, id]) => id!)
    expect(asked.map(({ id }) => id)).toEqual(expect.arrayContaining(echoed))
    expect(got[index]).not.toMatch(/sk-real|unasked|set-cookie/i)
    const orderly =
      leaving.after === undefined && asked.every(({ id, regular }) => regular && served.includes(id.split('-')[1]!))
    if (orderly) expect(echoed).toEqual(asked.map(({ id }) => id))
  }
  for (const one of heard.splice(0)) examine(one, sent, arrived)
}

/**
 * One connection to the vendor, byte by byte: one well-formed request of one agent's, with that agent's key, or the
 * beginning of one.
 */
function examine(
  { bytes, requests, rest, fault }: Heard,
  sent: Map<string, { asked: Asked; by: Visit }>,
  arrived: Set<string>,
): void {
  expect({ fault, requests: requests.length, more: requests.length ? rest : '' }).toEqual({
    fault: null,
    requests: requests.length && 1,
    more: '',
  })
  const [request] = requests
  if (!request) return void expect(bytes.split('sk-real').length).toBeLessThanOrEqual(2)
  const id = request.headers.get('user-agent')!
  const { asked, by } = sent.get(id)!
  expect(arrived.has(id)).toBe(false)
  arrived.add(id)
  expect(request).toMatchObject({ method: asked.method, target: asked.target, body: asked.body })
  expect(request.headers.get('x-api-key')).toBe(keys[by.agent])
  expect(bytes.split('sk-real')).toHaveLength(2)
  const allowed =
    /^(host|connection|content-length|transfer-encoding|content-type|anthropic-(version|beta)|x-api-key|user-agent)$/
  expect([...request.headers.keys()].filter((name) => !allowed.test(name))).toEqual([])
}

/**
 * A sidecar of this process; or, since only a fresh one can be made to trust a certificate, one in a process of its
 * own.
 */
async function open(secure: boolean, upstream: string): Promise<number> {
  const given = config([], { ANTHROPIC: upstream }, { agents })
  if (!secure) return (await sidecar(given)).port
  const folder = mkdtempSync(join(tmpdir(), 'sidecar-generated-'))
  onEnd(() => rmSync(folder, { recursive: true }))
  const start = await sidecarProgram(folder)
  const { port, child }: { port: number; child: ChildProcess } = await start(given, {
    NODE_EXTRA_CA_CERTS: certificate,
  })
  onEnd(() => child.kill())
  return port
}

it.each([
  [false, 100],
  [true, 40],
])(
  'generated requests arrive well formed, under their own key, once; answers reach who asked (TLS: %s)',
  async (secure, numRuns) => {
    const vendor = await rawVendor(reply, secure)
    onEnd(vendor.close)
    const port = await open(secure, vendor.url)
    const sent = new Map<string, { asked: Asked; by: Visit }>()
    const arrived = new Set<string>()
    await fc.assert(
      fc.asyncProperty(visits, (all) => judge(port, vendor.heard, all, sent, arrived)),
      { numRuns, endOnFailure: true },
    )
    expect(arrived.size).toBeGreaterThan(20)
  },
  120_000,
)
