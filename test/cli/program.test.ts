import { spawn, spawnSync } from 'node:child_process'
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { cli } from '../support/cli.ts'
import { certificate, fakeServer, json } from '../support/fake-server.ts'

// What only a process of its own shows. All other tests of commands run them within the process of the tests.

const root = new URL('../../', import.meta.url).pathname
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
const rows = [{ slug: 'api' }, { slug: 'web' }]

async function served(
  answer: Parameters<typeof fakeServer>[0] = (_, reply) => json(reply, rows),
  variables: Record<string, string> = {},
) {
  const server = await fakeServer(answer)
  return { server, ...cli({ SVC_SERVER: server.url, SVC_TOKEN: 'svc_cli_test', ...variables }) }
}

describe('the program', () => {
  it('says its version before it loads anything', async () => {
    const line = `muster/${version} ${process.platform}-${process.arch} node-${process.version}\n`
    for (const words of [['--version'], ['-V'], ['-q', '--version']])
      expect(await cli().program.run(...words)).toEqual({ code: 0, stdout: line, stderr: '' })
  })

  it.each([
    [200, 0],
    [404, 3],
    [500, 7],
  ])('ends by itself with its exit code, for an answer of %i with %i', async (status, code) => {
    const { program } = await served((_, reply) => json(reply, { detail: 'A detail.', code: 'any', status }, status))
    const ran = await program.run('api', 'crews')
    expect(ran.code).toBe(code)
    expect(code ? ran.stderr : ran.stdout).toContain('A detail.')
  })

  it('reads standard input to its end', async () => {
    const { server, program } = await served()
    expect(await program.pipe('{"name":"Web"}', 'api', 'POST', 'crews', '--input', '-', '-q')).toMatchObject({
      code: 0,
    })
    expect(server.seen[0]).toMatchObject({ method: 'POST', body: '{"name":"Web"}' })
  })

  it('survives a reader that goes away', async () => {
    const many = Array.from({ length: 20_000 }, (_, n) => ({ slug: `crew-${n}` }))
    const { env } = await served((_, reply) => json(reply, many))
    const child = spawn(
      'sh',
      ['-c', `"${process.execPath}" "${root}bin/muster.js" api crews -o ndjson | head -1; echo done`],
      { env },
    )
    let text = ''
    child.stdout.on('data', (chunk) => (text += chunk))
    child.stderr.on('data', (chunk) => (text += chunk))
    await new Promise((resolve) => child.on('close', resolve))
    expect(text).toBe('{"slug":"crew-0"}\ndone\n')
  })

  it('names a disk that cannot take its output', async () => {
    const { env } = await served()
    const { stderr, status } = spawnSync(
      'sh',
      ['-c', `"${process.execPath}" "${root}bin/muster.js" help > /dev/full`],
      {
        env,
        encoding: 'utf8',
      },
    )
    expect({ stderr, status }).toEqual({
      stderr: 'Error: The output cannot be written: no space left on device\n',
      status: 1,
    })
  })

  it('trusts a certificate that Node was given, with and without compiled code from the cache', async () => {
    const server = await fakeServer((_, reply) => json(reply, rows), 'tls')
    const { program } = cli({ SVC_SERVER: server.url, NODE_EXTRA_CA_CERTS: certificate })
    for (const _ of [1, 2])
      expect(await program.run('api', 'crews', '-q')).toEqual({ code: 0, stdout: 'api\nweb\n', stderr: '' })
  })
})

describe('at a terminal', () => {
  it('shows colours', async () => {
    const shown = (await served()).terminal(['api', 'crews'])
    expect(await shown.ended).toBe(0)
    expect(shown.text()).toContain('\u001b[36m"slug"')
  })

  it('pages what is longer than the screen, and only that', async () => {
    const many = Array.from({ length: 60 }, (_, n) => ({ slug: `crew-${n}` }))
    const { home, terminal } = await served(({ url }, reply) => json(reply, url.endsWith('/few') ? [1] : many))
    const pager = join(home, 'pager')
    writeFileSync(pager, '#!/bin/sh\necho "PAGED with $LESS"\ncat > /dev/null\n', { mode: 0o755 })
    const shown = (path: string, flags: string[] = [], PAGER = pager) => {
      const it = terminal(['api', path, ...flags], { rows: 20, env: { PAGER } })
      return it.ended.then(() => it.text())
    }
    expect(await shown('/crews')).toBe('PAGED with FIRX\r\n')
    expect(await shown('/few')).not.toContain('PAGED')
    expect(await shown('/crews', ['--no-pager'])).toContain('crew-59')
    expect(await shown('/crews', [], '')).toContain('crew-59')
    expect(await shown('/crews', [], '/no/such/pager')).toContain('crew-59')
  })

  it('is interrupted with Ctrl-C', async () => {
    const { server, terminal } = await served(() => {})
    const shown = terminal(['api', 'crews'])
    await expect.poll(() => server.seen.length).toBe(1)
    shown.type('\u0003')
    expect(await shown.ended).toBe(130)
  })
})

describe('the compiled form kept between runs', () => {
  it('is private, is used again, and is given up when others could have written it', async () => {
    const { home, program } = await served()
    const dir = join(home, '.cache', 'muster')
    expect((await program.run('api', 'crews', '-q')).stdout).toBe('api\nweb\n')
    const [name] = readdirSync(dir)
    const file = join(dir, name!)
    expect(name).toMatch(/^run-[0-9a-f]{16}-v/)
    expect([statSync(dir).mode & 0o777, statSync(file).mode & 0o777]).toEqual([0o700, 0o600])
    const { mtimeMs } = statSync(file)
    expect((await program.run('api', 'crews', '-q')).stdout).toBe('api\nweb\n')
    expect(statSync(file).mtimeMs).toBe(mtimeMs)
    writeFileSync(file, 'not code')
    expect((await program.run('api', 'crews', '-q')).stdout).toBe('api\nweb\n')
    expect(statSync(file).size).toBeGreaterThan(10_000)
  })

  it('is kept apart for tables and for output that programs read', async () => {
    const { home, program } = await served()
    for (const flags of [['-q'], ['--json'], ['-o', 'yaml'], ['--output=name'], ['-o', 'table']])
      expect((await program.run('api', 'crews', ...flags)).code).toBe(0)
    const kinds = readdirSync(join(home, '.cache', 'muster')).map((name) => name.split('-')[0])
    expect(kinds.sort()).toEqual(['data', 'run'])
  })

  it('does without when there is no place for it', async () => {
    const { program } = await served(undefined, { XDG_CACHE_HOME: '/dev/null' })
    expect((await program.run('api', 'crews', '-q')).stdout).toBe('api\nweb\n')
    const other = await served(undefined, { NODE_OPTIONS: '--max-old-space-size=200' })
    expect((await other.program.run('api', 'crews', '-q')).stdout).toBe('api\nweb\n')
    expect(existsSync(join(other.home, '.cache'))).toBe(false)
  })

  it('is not written into a folder of others', async () => {
    const { home, program } = await served()
    mkdirSync(join(home, '.cache', 'muster'), { recursive: true, mode: 0o777 })
    chmodSync(join(home, '.cache', 'muster'), 0o777)
    await program.run('api', 'crews', '-q')
    expect(readdirSync(join(home, '.cache', 'muster'))).toEqual([])
  })
})

it('says what to run when nothing is built', () => {
  const dir = mkdtempSync(join(tmpdir(), 'muster-bin-'))
  try {
    cpSync(join(root, 'bin'), join(dir, 'bin'), { recursive: true })
    cpSync(join(root, 'package.json'), join(dir, 'package.json'))
    for (const name of ['muster', 'musterd']) {
      const { status, stderr } = spawnSync(process.execPath, [join(dir, 'bin', `${name}.js`)], { encoding: 'utf8' })
      expect(status).toBe(1)
      expect(stderr).toContain(`${name} has not been built`)
      expect(stderr).toContain(`Next: npm ci && npm run build, in ${dir}`)
    }
  } finally {
    rmSync(dir, { recursive: true })
  }
})

it('says which Node it needs', () => {
  const old = "Object.defineProperty(process, 'versions', { value: { node: '20.16.9' } })"
  for (const name of ['muster', 'musterd']) {
    const { status, stderr } = spawnSync(
      process.execPath,
      ['-e', `${old}; require(${JSON.stringify(join(root, 'bin', `${name}.js`))})`],
      { encoding: 'utf8' },
    )
    expect(status).toBe(1)
    expect(stderr).toContain('Muster needs Node 20.17 or newer; this is 20.16.9.')
  }
})

describe('a command within the process of the tests', () => {
  it('leaves nothing of itself there', async () => {
    const { run } = cli({ SVC_SERVER: 'http://127.0.0.1:1', SVC_TOKEN: 'svc_cli_test' })
    const state = () => ({
      env: { ...process.env },
      exitCode: process.exitCode,
      listeners: process.eventNames().map((name) => [name, process.listenerCount(name)]),
      globals: Reflect.ownKeys(globalThis),
    })
    const before = state()
    expect((await run('api', 'crews', '--no-color')).code).toBe(8)
    expect(state()).toEqual(before)
  })
})
