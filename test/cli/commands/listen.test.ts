import { createHmac } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { Check } from 'typebox/value'
import { describe, expect, it } from 'vitest'
import { definitionOf, type FactName, facts } from '#contract/entries'
import { daemon } from '#test'
import { sampleOf, setAt } from '../../../cli/journal/sample.ts'
import { deliver } from '../../../cli/webhooks/delivery.ts'
import { cli, cliFor } from '../../support/cli.ts'
import { fakeServer, type Seen } from '../../support/fake-server.ts'

const signatureOf = (body: string, secret: string) =>
  `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`

/** A program that takes what comes, or answers with these first. */
const receiver = (...statuses: number[]) =>
  fakeServer((_, reply) => reply.writeHead(statuses.shift() ?? 204, { location: '/elsewhere' }).end())

const received = ({ body }: Seen) => JSON.parse(body) as { entry_type: string; payload: { name?: string } }

async function office() {
  const it = await daemon()
  const muster = await cliFor(it)
  const crew = (name: string) => it.call('OWNER', 'POST', '/crews', { name, slug: name.toLowerCase() })
  return { ...it, muster, crew }
}

describe('muster listen', () => {
  it('sends what is written from now on, signed, one line each, and ends with 130', async () => {
    const { muster, crew } = await office()
    const hook = await receiver()
    writeFileSync(`${muster.home}/secret`, 'a secret\n')
    await crew('Before')
    const file = ['--secret-file', `${muster.home}/secret`]
    const shown = muster.terminal([
      'listen',
      '--forward-to',
      `${hook.url}/hook`,
      '--type',
      'audit.entity_created',
      '--no-color',
      ...file,
    ])
    await shown.until(/Sending to/)
    await crew('Web')
    await shown.until(/--> audit\.entity_created j_[0-9a-f]{16} {2}<-- 204 in \d+ ms/)
    shown.type('\u0003')
    expect(await shown.ended).toBe(130)
    expect(shown.text()).toContain('1 of 1 entry was taken.')
    expect(shown.text()).not.toContain('a secret')
    const [first, ...others] = hook.seen
    expect(others).toEqual([])
    expect(received(first!)).toMatchObject({
      entry_type: 'audit.entity_created',
      payload: { name: 'web' },
    })
    expect(first).toMatchObject({ method: 'POST', url: '/hook' })
    expect(first!.headers).toMatchObject({
      'content-type': 'application/json',
      'user-agent': 'svc-notify/1',
      'x-svc-event': 'audit.entity_created',
      'x-svc-delivery': expect.stringMatching(/^del_[0-9a-f]{16}$/),
      'x-svc-timestamp': expect.stringMatching(/^\d{10}$/),
      'x-svc-signature': signatureOf(first!.body, 'a secret'),
    })
    expect(first!.headers).not.toHaveProperty('x-svc-sample')
  })

  it('begins at a moment, shows a secret of its own, and names what was not taken', async () => {
    const { muster, crew } = await office()
    const hook = await receiver(400)
    await crew('One')
    await crew('Two')
    const shown = muster.terminal([
      'listen',
      '--forward-to',
      hook.url,
      '--since',
      '2026-01-01T00:00:00Z',
      '--type',
      'audit.entity_created',
      '--search',
      'crew',
      '--no-color',
    ])
    await shown.until(/<-- 400[\s\S]*<-- 204/)
    shown.type('\u0003')
    expect(await shown.ended).toBe(130)
    const secret = /Signing secret: ([0-9a-f]{64})/.exec(shown.text())![1]!
    expect(hook.seen.map((it) => received(it).payload.name)).toEqual(['one', 'two'])
    for (const { headers, body } of hook.seen) expect(headers['x-svc-signature']).toBe(signatureOf(body, secret))
    expect(shown.text()).toContain('1 of 2 entries were taken.')
    expect(shown.text()).toMatch(/Not taken: audit\.entity_created j_[0-9a-f]{16} \(400\)/)
  })

  it('gives programs a line of JSON for each', async () => {
    const { muster, crew } = await office()
    const hook = await receiver()
    await crew('One')
    const args = [
      'listen',
      '--forward-to',
      hook.url,
      '--since',
      '2026-01-01T00:00:00Z',
      '--type',
      'audit.entity_created',
      '--search',
      'one',
    ]
    const [line] = (await muster.until(/\n/, ...args, '-o', 'ndjson')).split('\n')
    expect(JSON.parse(line!)).toMatchObject({
      entry_type: 'audit.entity_created',
      url: `${hook.url}/`,
      status: 204,
      ok: true,
      attempts: 1,
      error: null,
    })
  })

  it.each([
    ['ftp://127.0.0.1/x', 'must be an address'],
    ['unix:///tmp/x', 'must be an address'],
    ['127.0.0.1:3000', 'must be an address'],
    ['http://ada:secret@127.0.0.1/', 'takes no user or password'],
  ])('refuses %s', async (address, said) => {
    const { run } = cli({ SVC_SERVER: 'http://127.0.0.1:1', SVC_TOKEN: 'svc_cli_test' })
    const ran = await run('listen', '--forward-to', address)
    expect(ran).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining(said) })
  })

  it('refuses an empty or missing secret, and says what travels openly', async () => {
    const { run, pipe } = cli({ SVC_SERVER: 'http://127.0.0.1:1', SVC_TOKEN: 'svc_cli_test' })
    const to = ['listen', '--forward-to', 'http://hook.example']
    expect(await pipe('\n', ...to, '--secret-file', '-')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--secret-file: standard input is empty.'),
    })
    const { code, stderr } = await run(...to, '--secret-file', '/nonexistent')
    expect(code).toBe(2)
    expect(stderr).toContain('hook.example is not encrypted')
    expect(stderr).toContain('--secret-file: /nonexistent cannot be read')
  })
})

describe('a delivery', () => {
  const entry = sampleOf({ entry_type: 'run.failed', severity: 'error' }, 'j_0123456789abcdef', new Date())

  it.each([
    ['taken at once', [200], { status: 200, ok: true, attempts: 1 }],
    ['tried again after a fault, with the same id', [500, 429, 200], { status: 200, ok: true, attempts: 3 }],
    ['given up after three attempts', [503, 503, 503], { status: 503, ok: false, attempts: 3 }],
    ['not repeated when it is refused', [404], { status: 404, ok: false, attempts: 1 }],
    ['not sent on elsewhere', [302], { status: 302, ok: false, attempts: 1 }],
  ])('is %s', async (_, statuses, told) => {
    const hook = await receiver(...statuses)
    const delivery = await deliver(entry, { url: hook.url, secret: 'x' })
    expect(delivery).toMatchObject({ ...told, delivery_id: 'del_0123456789abcdef', entry_id: entry.id, error: null })
    expect(hook.seen.map(({ headers }) => headers['x-svc-delivery'])).toEqual(
      Array.from({ length: told.attempts }, () => 'del_0123456789abcdef'),
    )
  })

  it('has a reason where no answer came', async () => {
    const hook = await receiver()
    await hook.close()
    expect(await deliver(entry, { url: hook.url, secret: 'x' })).toMatchObject({
      status: null,
      ok: false,
      attempts: 3,
      error: expect.stringContaining('ECONNREFUSED'),
    })
  })
})

describe('muster trigger', () => {
  it('sends a sample that says what it is, and writes nothing', async () => {
    const { muster, app } = await office()
    const hook = await receiver()
    const entries = () => app.db.prepare('SELECT count(*) AS n FROM journal').get()
    const before = entries()
    const ran = await muster.pipe('s3cret', 'trigger', 'crew.created', '--forward-to', hook.url, '--secret-file', '-')
    expect(ran).toMatchObject({ code: 0, stderr: '' })
    expect(ran.stdout.split('\t').slice(1, 5)).toEqual([
      'audit.entity_created',
      expect.stringMatching(/^j_/),
      '204',
      '1',
    ])
    const [seen] = hook.seen
    expect(seen!.headers).toMatchObject({
      'x-svc-sample': 'true',
      'x-svc-event': 'audit.entity_created',
      'x-svc-signature': signatureOf(seen!.body, 's3cret'),
    })
    expect(JSON.parse(seen!.body)).toMatchObject({ sample: true, payload: { entity_type: 'crew', action: 'create' } })
    expect(entries()).toEqual(before)
  })

  it('prints the sample without an address, with the members that are set', async () => {
    const { muster } = await office()
    const set = ['--set', 'payload.name=7', '--set', 'severity=warn', '--set', 'payload.metadata.deep={"n":1}']
    const { stdout, code } = await muster.run('trigger', 'crew.created', ...set, '--json')
    expect(code).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({
      sample: true,
      severity: 'warn',
      payload: { name: '7', metadata: { deep: { n: 1 } } },
    })
  })

  it('ends with 1 when the sample is not taken', async () => {
    const { muster } = await office()
    const hook = await receiver(422)
    const ran = await muster.run('trigger', 'run.failed', '--forward-to', hook.url, '--json')
    expect(ran.code).toBe(1)
    expect(JSON.parse(ran.stdout)).toMatchObject({ status: 422, ok: false })
  })

  it('refuses types that are unknown or stand for several facts', async () => {
    const { muster } = await office()
    expect(await muster.run('trigger', 'run.faild')).toMatchObject({
      code: 3,
      stderr: expect.stringContaining('There is no entry type "run.faild"; did you mean "run.failed"?'),
    })
    expect(await muster.run('trigger', 'audit.entity_deleted')).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/is the type of several facts: .*crew\.deleted/),
    })
    expect(await muster.run('trigger', 'run.failed', '--set', 'severity')).toMatchObject({ code: 2 })
  })
})

describe('samples', () => {
  it.each(Object.keys(facts).map((name) => [name as FactName]))('%s has the payload of its kind', (name) => {
    const { type, severity, payload } = definitionOf(name)
    const schema = JSON.parse(JSON.stringify(payload))
    const sample = sampleOf({ entry_type: type, severity, payload: schema }, 'j_0', new Date())
    expect(Check(payload, sample.payload), JSON.stringify(sample.payload)).toBe(true)
  })

  it('take any name as a member', () => {
    const sample = { a: 'x', list: [1] }
    setAt(sample, '__proto__.polluted', 'true')
    setAt(sample, 'a.b', '1')
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined()
    expect(JSON.stringify(sample)).toBe('{"a":{"b":1},"list":[1],"__proto__":{"polluted":true}}')
  })
})
