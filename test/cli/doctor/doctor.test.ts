import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { daemon } from '#test'
import { clockHere } from '../../../cli/doctor/here.ts'
import { clock } from '../../../cli/doctor/server.ts'
import { type Cli, cli, cliFor } from '../../support/cli.ts'
import { seen } from '../../support/eyes.ts'
import { fakeServer, json } from '../../support/fake-server.ts'
import { stranger } from '../../support/stranger.ts'

interface Finding {
  where: string
  name: string
  status: string
  detail: string
  fix: string | null
}

/** What `muster doctor` found, by name. */
async function examine({ run }: Cli): Promise<{ code: number | null; found: Record<string, Finding> }> {
  const { code, stdout } = await run('doctor', '--json')
  return { code, found: Object.fromEntries((JSON.parse(stdout) as Finding[]).map((it) => [it.name, it])) }
}

describe('with a server', () => {
  it('tells an admin everything, and ends with 0 when all is well', async () => {
    const it = await daemon({ config: { rateLimitDisabled: false } })
    const { code, found } = await examine(await cliFor(it, 'ADMIN'))
    expect(code).toBe(0)
    expect(Object.values(found).filter(({ status }) => status !== 'ok')).toEqual([])
    expect(found['identity']!.detail).toContain(it.person('ADMIN').email)
    expect(
      Object.values(found)
        .filter(({ where }) => where === 'server')
        .map(({ name }) => name),
    ).toEqual(['database', 'key', 'network', 'mail'])
  })

  it('says to others that the rest is not for them', async () => {
    const { code, found } = await examine(await cliFor(await daemon(), 'MEMBER'))
    expect(code).toBe(0)
    expect(found['checks']).toMatchObject({ status: 'ok', detail: expect.stringContaining('admins') })
    expect(found['database']).toBeUndefined()
  })

  it('knows a token that is not accepted, and none', async () => {
    const it = await daemon()
    const bad = await examine(await cliFor(it, 'ADMIN', { SVC_TOKEN: `svc_cli_${'0'.repeat(64)}` }))
    expect(bad).toMatchObject({ code: 1, found: { identity: { status: 'fail', fix: 'muster login' } } })
    const none = await examine(await cliFor(it, 'ADMIN', { SVC_TOKEN: '' }))
    expect(none).toMatchObject({ code: 0, found: { identity: { status: 'warn', detail: 'Not signed in' } } })
  })

  it('compares versions and clocks', async () => {
    const { url } = await fakeServer((_, reply) =>
      json(reply, { status: 'ok', service: 'muster', version: '0.0.1', uptime: 1 }, 200, {
        date: new Date(Date.now() - 100_000).toUTCString(),
      }),
    )
    const { code, found } = await examine(cli({ SVC_SERVER: url }))
    expect(code).toBe(1)
    expect(found['version']).toMatchObject({
      status: 'warn',
      detail: expect.stringContaining('0.0.1'),
      fix: 'update the older of the two',
    })
    expect(found['clock']).toMatchObject({
      status: 'fail',
      detail: expect.stringMatching(/(99|100|101) s behind/),
      fix: expect.stringContaining('timedatectl'),
    })
  })

  it('is not taken in by another kind of server', async () => {
    const { url } = await fakeServer((_, reply) => reply.end('<html>'))
    expect(await examine(cli({ SVC_SERVER: url }))).toMatchObject({
      code: 1,
      found: { server: { status: 'fail', detail: expect.stringContaining('not a Muster server') } },
    })
  })
})

describe('without a daemon', () => {
  it('says how to start one, and looks at this machine itself', async () => {
    const { code, found } = await examine(cli({ SVC_CONTAINER_PROVIDER: 'process' }))
    expect(code).toBe(1)
    expect(found['server']).toMatchObject({ status: 'fail', fix: 'muster up' })
    expect(found['runtime']).toMatchObject({
      where: 'here',
      status: 'warn',
      detail: expect.stringContaining('nothing isolates them'),
    })
    expect(found['data']).toMatchObject({ status: 'ok' })
  })

  it('finds a data folder that others can read, and a key that is gone', async () => {
    const muster = cli({ SVC_CONTAINER_PROVIDER: 'process' })
    const folder = join(muster.home, '.local/share/muster')
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    writeFileSync(join(folder, 'muster.db'), '', { mode: 0o600 })
    expect((await examine(muster)).found).toMatchObject({
      data: { status: 'ok' },
      key: { status: 'fail', fix: expect.stringContaining('backup') },
    })
    chmodSync(folder, 0o755)
    expect((await examine(muster)).found['data']).toMatchObject({
      status: 'fail',
      fix: `muster doctor --fix, or chmod go= ${folder}`,
    })
  })

  it('names the command of a person for a port that is taken, and says when it can fix nothing', async () => {
    const { port } = await stranger()
    const muster = cli({ SVC_CONTAINER_PROVIDER: 'process', SVC_PORT: String(port) })
    mkdirSync(join(muster.home, '.local/share/muster'), { recursive: true, mode: 0o700 })
    const { stdout, stderr } = await muster.run('doctor', '--fix')
    expect(stderr).toBe('There is nothing that can be fixed without you.\n')
    expect(stdout).toMatch(/^fail\there\tport\t.*\tmuster up --port \d+, or end that program$/m)
  })

  it('asks a Docker engine itself, and names the images that are missing', async () => {
    const muster = cli()
    const socket = join(muster.home, 'docker.sock')
    const engine = await fakeServer((request, reply) => {
      if (request.url === '/version') return json(reply, { Version: '27.1.0' })
      return json(reply, { message: 'no such image' }, request.url === '/images/muster/crew%3Alocal/json' ? 200 : 404)
    }, socket)
    const { found } = await examine({
      ...muster,
      run: (...args) => cli({ DOCKER_HOST: engine.url, SVC_DATA_DIR: join(muster.home, 'data') }).run(...args),
    })
    expect(found['runtime']).toMatchObject({ status: 'ok', detail: `Docker engine 27.1.0 at ${engine.url}` })
    expect(found['images']).toMatchObject({
      status: 'fail',
      detail: 'Missing: muster/sidecar:local',
      fix: expect.stringContaining('build-images'),
    })
  })

  it('builds missing images with --fix, by the script that it names', async () => {
    const muster = cli()
    const engine = await fakeServer(
      (request, reply) =>
        json(reply, request.url === '/version' ? { Version: '27.1.0' } : {}, request.url === '/version' ? 200 : 404),
      join(muster.home, 'docker.sock'),
    )
    const bin = join(muster.home, 'bin')
    mkdirSync(bin)
    writeFileSync(join(bin, 'bash'), '#!/bin/sh\necho "building with $*"\nexit 3\n', { mode: 0o755 })
    const { stderr } = await cli({ PATH: `${bin}:${muster.env['PATH']}`, DOCKER_HOST: engine.url }).run(
      'doctor',
      '--fix',
    )
    expect(stderr).toMatch(/building with \S+scripts\/build-images\.sh\n/)
    expect(stderr).toMatch(/Could not build the images: \S+build-images\.sh ended with 3\n/)
  })

  it('says what to do where no engine answers', async () => {
    const { found } = await examine(cli({ DOCKER_HOST: 'unix:///nonexistent/docker.sock' }))
    expect(found['runtime']).toMatchObject({
      status: 'fail',
      detail: expect.stringContaining('No Docker engine answers'),
      fix: expect.stringContaining('systemctl start docker'),
    })
    expect(found['images']).toBeUndefined()
  })

  it('tells of settings that the daemon would refuse', async () => {
    const { found } = await examine(cli({ SVC_EXPOSED_PORT: 'many' }))
    expect(found['settings']).toMatchObject({
      status: 'fail',
      detail: 'SVC_EXPOSED_PORT must be a whole number, not "many"',
      fix: 'correct it; see muster config list --origin',
    })
  })

  it('tells of a configuration that cannot be read', async () => {
    const muster = cli({ SVC_CONTAINER_PROVIDER: 'process' })
    mkdirSync(join(muster.home, '.config/muster'), { recursive: true })
    writeFileSync(join(muster.home, '.config/muster/config.yaml'), 'contexts: [', { mode: 0o600 })
    expect(await examine(muster)).toMatchObject({
      code: 1,
      found: { configuration: { status: 'fail', fix: expect.stringContaining('config.yaml') } },
    })
  })
})

it('stands aligned on a terminal, with the fix below what is wrong', async () => {
  const terminal = cli({ SVC_CONTAINER_PROVIDER: 'process', SVC_PORT: '1' }).screen(['doctor', '--no-color'], {
    cols: 70,
    rows: 40,
  })
  expect(await terminal.ended).toBe(1)
  const { lines } = await seen(terminal.text(), 70, 40)
  const at = lines.findIndex((line) => line.startsWith('✗ server'))
  expect(lines[at]).toMatch(/^✗ server {9}Nothing listens on/)
  // The path of the socket takes two or three lines.
  const next = lines.findIndex((line, index) => index > at && !line.startsWith(' '.repeat(17)))
  expect(lines[next - 1]).toBe('                 Fix: muster up')
  expect(lines.at(-1)).toBe('1 problem, 1 warning.')
})

it('knows a clock that is earlier than the installed program', () => {
  const program = new URL('../../../dist/daemon/musterd.js', import.meta.url).pathname
  expect(clockHere(program)).toMatchObject({ name: 'clock', status: 'ok' })
  expect(clockHere(program, Date.parse('2020-01-01T00:00:00Z'))).toMatchObject({
    status: 'fail',
    detail: 'This machine says 2020-01-01T00:00:00.000Z, which is before Muster was installed',
    fix: 'set it by the network: timedatectl set-ntp true',
  })
})

describe('clocks', () => {
  const now = Date.parse('2026-01-01T00:00:00Z')
  const date = (seconds: number) => new Date(now + seconds * 1000).toUTCString()
  it.each([
    [0, 'ok'],
    [4, 'ok'],
    [-4, 'ok'],
    [30, 'warn'],
    [-30, 'warn'],
    [90, 'fail'],
    [-3600, 'fail'],
  ])('%i s apart: %s', (seconds, status) => expect(clock(date(seconds), now)).toMatchObject([{ status }]))

  it('says nothing of a server that tells no time', () => expect(clock(undefined, now)).toEqual([]))
})
