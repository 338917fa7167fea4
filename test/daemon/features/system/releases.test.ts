import { describe, expect, it, vi } from 'vitest'
import { version } from '#kernel/version'
import { daemon, fixedClock } from '#test'
import { isNewer } from '../../../../daemon/features/system/releases.ts'
import { fakeServer } from '../../../support/fake-server.ts'

const none = { current: version, latest: null, newer: false, url: null }

/** A busy machine takes its time. */
const patience = { timeout: 20_000 }

/** A daemon that asks a server for releases, and what that says. */
async function scene(answer: { status?: number; text: string }) {
  const server = await fakeServer((_, reply) => reply.writeHead(answer.status ?? 200).end(answer.text))
  const steady = fixedClock()
  const it = await daemon({ steady, config: { releasesUrl: `${server.url}/latest` } })
  const read = async () => (await it.call('VIEWER', 'GET', '/system/version')).body
  return { ...it, server, steady, read, answer }
}

const release = (tag_name: string, html_url = 'https://muster.example/releases/1') =>
  JSON.stringify({ tag_name, html_url })

describe('the newest release', () => {
  it('is asked of nobody unless an address is set', async () => {
    const it = await daemon()
    let asked = 0
    Object.assign(it.app.outbound, { send: async () => asked++ })
    expect((await it.call('VIEWER', 'GET', '/system/version')).body).toMatchObject(none)
    expect(asked).toBe(0)
  })

  it('is told once it is known; nobody waits for it, and it is not asked for again soon', async () => {
    const it = await scene({ text: release('v999.0.0') })
    expect(await it.read(), 'the first answer waits for nobody').toMatchObject(none)
    const known = { latest: '999.0.0', newer: true, url: 'https://muster.example/releases/1' }
    await vi.waitFor(async () => expect(await it.read()).toMatchObject(known), patience)
    expect(it.server.seen).toHaveLength(1)
    expect(it.server.seen[0]!.headers['user-agent'], 'no more is told than who asks').toBe('muster')
    it.answer.text = release('v999.1.0')
    it.steady.advance(6 * 3_600_000)
    expect(await it.read(), 'what was known counts meanwhile').toMatchObject(known)
    await vi.waitFor(async () => expect(await it.read()).toMatchObject({ latest: '999.1.0' }), patience)
    expect(it.server.seen).toHaveLength(2)
  })

  it.each([
    ['an error', { status: 500, text: release('v999.0.0') }],
    ['a page', { text: '<html>' }],
    ['a version that is none', { text: release('latest\u001b[31m') }],
    ['nothing', { text: 'null' }],
  ])('is unknown where the answer is %s', async (_, answer) => {
    const it = await scene(answer)
    await it.read()
    await vi.waitFor(() => expect(it.server.seen).toHaveLength(1), patience)
    expect(await it.read()).toMatchObject(none)
  })

  it('leads nowhere but to pages of the web', async () => {
    const it = await scene({ text: release('v999.0.0', 'javascript:alert(1)') })
    await vi.waitFor(async () => expect(await it.read()).toMatchObject({ latest: '999.0.0', url: null }), patience)
  })

  it.each([
    ['1.0.1', '1.0.0', true],
    ['1.10.0', '1.9.9', true],
    ['2.0.0', '10.0.0', false],
    ['1.0.0', '1.0.0', false],
    ['1.0.0', '1.0.0-rc.1', true],
    ['1.0.0-rc.1', '1.0.0', false],
  ])('%s comes after %s: %s', (one, other, after) => expect(isNewer(one, other)).toBe(after))
})
