import { createHash, generateKeyPairSync } from 'node:crypto'
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { sealStatement } from '#client/dsse'
import { problem } from '#kernel/problem'
import { init, result, says } from '../../support/claude-lines.ts'
import { type Cli, cli, cliFor } from '../../support/cli.ts'
import type { FakeRuntime } from '../../support/fake-runtime.ts'
import { closing } from '../../support/index.ts'
import { type Workplace, workplace } from '../../support/runs.ts'

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

/** A run with an answer that has come to its end. */
async function done(it: Workplace<FakeRuntime>) {
  const { run_id } = await it.send(await it.openChat(), 'Work')
  await finish(it)
  await it.runs.ended(run_id)
  return run_id
}

async function finish({ runtime }: Workplace<FakeRuntime>, n = 0, code = 0) {
  const program = await runtime.program(n)
  runtime.print(program, init, says('Done.'), ...(code ? [] : [result()]))
  runtime.finish(program, { kind: 'exit', code, timedOut: false })
}

describe('muster runs receipt', () => {
  it('writes one that muster runs verify believes, with the key of muster runs receipt-keys', async () => {
    const place = await workplace()
    const run = await done(place)
    const muster = await cliFor(place, 'VIEWER')
    const [file, key] = [join(muster.home, 'receipt.json'), join(muster.home, 'muster.pem')]
    expect(await muster.run('runs', 'receipt', run, '--to', file)).toMatchObject({ code: 0, stdout: '' })
    expect(await muster.run('runs', 'receipt', run, '--to', file)).toMatchObject({ code: 2 })
    expect(await muster.run('runs', 'receipt', run, '--to', file, '--force')).toMatchObject({ code: 0 })
    const { stdout } = await muster.run('runs', 'receipt', run)
    expect(JSON.parse(stdout)).toEqual(JSON.parse(readFileSync(file, 'utf8')))
    const pem = await muster.run('runs', 'receipt-keys', '--pem')
    writeFileSync(key, pem.stdout)
    const id = await muster.run('runs', 'receipt-keys', '-q')
    expect((await muster.run('runs', 'receipt-keys', '--pem', '--id', id.stdout.trim())).stdout).toBe(pem.stdout)
    expect(await muster.run('runs', 'receipt-keys', '--pem', '--id', 'x')).toMatchObject({ code: 2 })

    const verified = await muster.run('runs', 'verify', file, '--key', key, '--json')
    expect(verified).toMatchObject({ code: 0, stderr: '' })
    expect(JSON.parse(verified.stdout)).toMatchObject({
      valid: true,
      reason: null,
      keyid: id.stdout.trim(),
      claims: { run: { id: run, status: 'COMPLETED' }, agent: { slug: 'ada' } },
      subjects: [{ name: `runs/${run}/answer`, sha256: sha256('Done.'), kind: 'answer' }],
    })
    const told = await muster.run('runs', 'verify', file, '--key', key, '-o', 'table')
    for (const words of ['valid: signed with this key', run, '@ada', 'CLAUDE_CODE', sha256('Done.')])
      expect(told.stdout).toContain(words)
  })

  it('says that a run is open, and how to wait for it', async () => {
    const place = await workplace()
    const { run_id } = await place.send(await place.openChat(), 'Work')
    const muster = await cliFor(place)
    const { code, stderr } = await muster.run('runs', 'receipt', run_id)
    expect({ code, stderr }).toEqual({ code: 5, stderr: expect.stringContaining('Next: muster wait') })
    await finish(place)
  })
})

describe('muster ask --receipt', () => {
  it.each([
    [0, 'COMPLETED'],
    [1, 'FAILED'],
  ])('writes it when the client ended with %i', async (code, status) => {
    const place = await workplace()
    const muster = await cliFor(place)
    const file = join(muster.home, 'out.json')
    writeFileSync(file, 'an earlier one')
    const asking = muster.run('ask', 'ada', 'Work', '--receipt', file)
    await finish(place, 0, code)
    expect(await asking).toMatchObject({ code })
    const { payload } = JSON.parse(readFileSync(file, 'utf8'))
    expect(JSON.parse(String(Buffer.from(payload, 'base64'))).predicate.run.status).toBe(status)
  })

  it('asks nothing when it could not be written', async () => {
    const place = await workplace()
    const muster = await cliFor(place)
    for (const to of [muster.home, join(muster.home, 'none/out.json')])
      expect(await muster.run('ask', 'ada', 'Work', '--receipt', to)).toMatchObject({
        code: 2,
        stderr: expect.stringContaining('cannot be written'),
      })
    expect(place.runtime.programs.size).toBe(0)
  })

  it.each([
    [0, 5, 'the code of the receipt where the run completed'],
    [1, 1, 'the code of the run where it failed'],
  ])('says that there is none: the client ended with %i, so the command does with %i, %s', async (run, code) => {
    const place = await workplace()
    const muster = await cliFor(place)
    const asking = muster.run('ask', 'ada', 'Work', '--receipt', join(muster.home, 'out.json'))
    await place.runtime.program()
    place.app.runs = { ...place.runs, settled: () => Promise.reject(problem('run_open')) }
    await finish(place, 0, run)
    const ended = await asking
    expect(ended).toMatchObject({ code, stdout: expect.stringContaining('Done.') })
    expect(ended.stderr).toContain('The run is not over yet')
  })
})

describe('muster runs verify', () => {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  const pem = publicKey.export({ type: 'spki', format: 'pem' })
  const file = (name: string, text: string, more = {}) => ({
    name,
    digest: { sha256: sha256(text) },
    annotations: { kind: 'file', size: text.length, ...more },
  })
  const place = { seq: 1, id: 'j_1', hash: '0'.repeat(64) }
  const statement = {
    _type: 'https://in-toto.io/Statement/v1',
    subject: [file('report.md', 'hello'), file('a/b=c.txt', 'x')],
    predicateType: 'urn:muster:run-receipt:v1',
    predicate: {
      issued_at: '2026-01-01T00:00:00Z',
      issuer: { installation: 'i', muster: '1' },
      run: { id: 'r', workspace_id: 'w', status: 'COMPLETED', started_at: '2026-01-01T00:00:00Z', finished_at: null },
      requested_by: null,
      agent: { id: 'a', name: 'Ada \u001b[31m\u202eevil', slug: 'ada' },
      delegated_by: [],
      programs: [],
      client: { version: null, model: null },
      usage: {},
      files: { complete: false, gaps: ['too_slow'], folders: ['/output/ada'], other_runs: ['o'], listed: 2 },
      decisions: [],
      journal: { first: place, last: null, head: { entries: 1, ...place } },
    },
  }
  const seal = (it: object) => sealStatement(privateKey, Buffer.from(JSON.stringify(it)))

  let muster: Cli
  const path = (name: string) => join(muster.home, name)
  const put = (name: string, text: string | object) =>
    writeFileSync(path(name), typeof text === 'string' ? text : JSON.stringify(text))
  const verify = (...more: string[]) => muster.run('runs', 'verify', path('r.json'), '--key', path('k.pem'), ...more)
  const json = async (...more: string[]) => {
    const { code, stdout } = await verify('--json', ...more)
    return { code, ...JSON.parse(stdout) }
  }
  beforeEach(() => {
    muster = cli()
    put('k.pem', pem as string)
    put('r.json', seal(statement))
  })

  it('needs no server, no context and no network', async () => {
    const reached: string[] = []
    const server = createServer((socket) => {
      reached.push('a connection')
      socket.destroy()
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    closing(server)
    const { port } = server.address() as { port: number }
    const data = path('data')
    mkdirSync(data)
    writeFileSync(join(data, 'instance.key'), '0'.repeat(64), { mode: 0o600 })
    const offline = cli({ SVC_PORT: String(port), SVC_DATA_DIR: data, SVC_SERVER: '' })
    mkdirSync(join(offline.home, '.config/muster'), { recursive: true })
    writeFileSync(join(offline.home, '.config/muster/config.json'), 'not JSON')
    const { code, stdout } = await offline.run('runs', 'verify', path('r.json'), '--key', path('k.pem'), '-q')
    expect({ code, stdout, reached }).toEqual({ code: 0, stdout: 'valid\n', reached: [] })
    expect(
      (await muster.pipe(JSON.stringify(seal(statement)), 'runs', 'verify', '-', '--key', path('k.pem'))).code,
    ).toBe(0)
  })

  it('shows names that agents chose without what terminals act on', async () => {
    const { code, stdout } = await verify('-o', 'table')
    expect(code).toBe(0)
    expect(stdout).not.toMatch(/[\u001b\u202e]/)
    expect(stdout).toContain('not all may be listed (too slow)')
  })

  it.each([
    ['a statement of another type', { ...statement, _type: 'x' }, 'no in-toto statement'],
    ['a statement about something else', { ...statement, predicateType: 'https://x' }, 'of another kind'],
    ['one without subjects', { ...statement, subject: undefined }, 'no list of subjects'],
    ['a subject without a hash', { ...statement, subject: [{ name: 'x' }] }, 'no name or no SHA-256'],
    ['a subject of another kind', { ...statement, subject: [{ ...file('x', 'x'), annotations: {} }] }, 'neither'],
    ['one with nothing claimed', { ...statement, predicate: {} }, 'Members of the receipt are missing'],
    ['no object', [], 'no in-toto statement'],
  ])('does not believe %s, though the signature holds', async (_, it, reason) => {
    put('r.json', seal(it))
    expect(await json()).toMatchObject({ code: 1, valid: false, claims: null, reason: expect.stringContaining(reason) })
  })

  it('does not believe what was altered, in any member of the envelope', async () => {
    const whole = seal(statement)
    const altered = Buffer.from(JSON.stringify({ ...statement, predicate: { ...statement.predicate, agent: {} } }))
    const [signature] = whole.signatures
    for (const envelope of [
      { ...whole, payload: altered.toString('base64') },
      { ...whole, payloadType: 'application/json' },
      { ...whole, signatures: [{ ...signature, keyid: '0'.repeat(64) }] },
      { ...whole, signatures: [{ ...signature, sig: seal({}).signatures[0]!.sig }] },
      { ...whole, signatures: [signature, signature] },
      [whole, whole],
    ]) {
      put('r.json', envelope)
      expect(await json()).toMatchObject({ code: 1, valid: false, claims: null, subjects: [] })
    }
    put('r.json', `${JSON.stringify(whole)}\n${JSON.stringify(whole)}`)
    expect(await json()).toMatchObject({ code: 1, reason: expect.stringContaining('not one JSON object') })
    put('r.json', whole)
    put('k.pem', generateKeyPairSync('ed25519').publicKey.export({ type: 'spki', format: 'pem' }) as string)
    expect(await json()).toMatchObject({ code: 1, reason: expect.stringContaining('It names the key') })
  })

  it('takes wrong input for that, and not for a receipt that does not hold', async () => {
    put('k.pem', 'x')
    expect(await verify()).toMatchObject({ code: 2, stdout: '' })
    put('k.pem', pem as string)
    expect(await verify('--file', 'other=x')).toMatchObject({ code: 2 })
    expect(await verify('--folder', path('none'))).toMatchObject({ code: 2 })
    expect(await muster.run('runs', 'verify', path('none'), '--key', path('k.pem'))).toMatchObject({ code: 2 })
    expect(await muster.run('runs', 'verify', path('r.json'))).toMatchObject({ code: 2 })
  })

  it('compares files with those of the receipt', async () => {
    put('here.md', 'hello')
    put('other.txt', 'y')
    const same = { name: 'report.md', status: 'same' }
    expect(await json('--file', `report.md=${path('here.md')}`)).toMatchObject({ code: 0, compared: [same] })
    const differs = { name: 'a/b=c.txt', status: 'differs' }
    expect(await json('--file', `a/b=c.txt=${path('other.txt')}`)).toMatchObject({ code: 1, compared: [differs] })
    expect(await json('--file', `report.md=${path('gone')}`)).toMatchObject({
      code: 1,
      compared: [{ status: 'missing' }],
    })
    expect(await json('--file', `report.md=${muster.home}`)).toMatchObject({ code: 1 })
  })

  it('compares a folder, and never what is outside', async () => {
    mkdirSync(path('out/a'), { recursive: true })
    put('out/report.md', 'hello')
    put('out/a/b=c.txt', 'x')
    expect(await json('--folder', path('out'))).toMatchObject({
      code: 0,
      compared: [{ status: 'same' }, { status: 'same' }],
    })
    put('secret', 'x')
    symlinkSync(path('secret'), path('out/link'))
    const odd = Buffer.from([0x66, 0xff])
    writeFileSync(Buffer.concat([Buffer.from(`${path('out')}/`), odd]), 'odd')
    const subject = [
      file('../secret', 'x'),
      file('/crew/shared/x', 'x'),
      file('f\ufffd', 'odd', { path_base64: odd.toString('base64') }),
      file('nul\u0000', 'x'),
    ]
    put('r.json', seal({ ...statement, subject }))
    const { code, compared } = await json('--folder', path('out'))
    expect(compared.map(({ status }: { status: string }) => status)).toEqual([
      'elsewhere',
      'elsewhere',
      'same',
      'missing',
    ])
    expect(code).toBe(1)
  })
})
