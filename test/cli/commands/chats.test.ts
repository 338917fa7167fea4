import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { init, result, says } from '../../support/claude-lines.ts'
import { cli, cliFor } from '../../support/cli.ts'
import { fakeServer, json } from '../../support/fake-server.ts'
import { workplace } from '../../support/runs.ts'

describe('muster chats', () => {
  it('opens, speaks, watches, reads, renames and deletes', async () => {
    const it = await workplace()
    const { run, pipe, screen } = await cliFor(it, 'OWNER')
    expect((await run('chats', 'list', 'ada')).stdout).toBe('')
    const chat = (await run('chats', 'create', 'ada')).stdout.trim()
    expect(chat).toMatch(/^c[a-z0-9]{24}$/)
    expect((await run('chats', 'create', 'ada', '--id', 'nightly')).stdout).toBe('nightly\n')
    const sent = await pipe('Write it.\n', 'chats', 'send', chat, '-', '--max-turns', '3')
    expect(sent).toMatchObject({ code: 0, stderr: expect.stringMatching(/^✓ Run c\w+ has started\.\n$/) })
    const program = await it.runtime.program()
    const watched = screen(['chats', 'stream', chat, '-o', 'ndjson'], { cols: 500 })
    await watched.until(/stream\.open/)
    it.runtime.print(program, init, says('Here \u001b[31mit is'), result())
    it.runtime.finish(program)
    expect(await watched.ended).toBe(0)
    const frames = watched
      .text()
      .trim()
      .split('\r\n')
      .map((line) => JSON.parse(line))
    expect(frames.map(({ type }) => type)).toEqual(
      expect.arrayContaining(['stream.open', 'text', 'done', 'stream.end']),
    )
    const text = frames.filter(({ type }) => type === 'text').map(({ content }) => content)
    expect(text.join('')).toBe('Here \u001b[31mit is')
    expect(JSON.parse((await run('chats', 'messages', chat, '--json')).stdout)).toMatchObject([
      { role: 'user', content: 'Write it.\n' },
      { role: 'assistant' },
    ])
    expect((await run('chats', 'messages', chat, '-o', 'tsv')).stdout).toContain('\tassistant\tHere it is\t')
    expect((await run('chats', 'read', 'ada', chat)).code).toBe(0)
    expect((await run('chats', 'rename', 'ada', chat, 'Release notes')).stderr).toContain(
      'Renamed the chat to "Release notes".',
    )
    expect((await run('chats', 'list', 'ada')).stdout).toContain(`${chat}\tRelease notes\t2\t`)
    expect(await run('chats', 'cancel', chat)).toMatchObject({ code: 0, stderr: '✓ Nothing was going on.\n' })
    expect((await run('chats', 'remove', 'ada', chat, '--yes')).code).toBe(0)
    expect((await run('chats', 'list', 'ada', '-q')).stdout).toBe('nightly\n')
    expect(await run('chats', 'send', 'nightly', ' ')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('The message is empty'),
    })
  })

  it('cancels a run, and stops all that an agent does', async () => {
    const it = await workplace()
    const { run } = await cliFor(it, 'OWNER')
    const chat = (await run('chats', 'create', 'ada')).stdout.trim()
    const { stdout } = await run('chats', 'send', chat, 'Go on for ever')
    await it.runtime.program()
    expect(await run('chats', 'send', chat, 'And more')).toMatchObject({ code: 5 })
    expect((await run('chats', 'cancel', chat)).stderr).toContain(`Run ${stdout.trim()} is being ended.`)
    await it.runs.ended(stdout.trim())
    expect((await run('runs', 'show', stdout.trim(), '--jq', '.status')).stdout).toBe('CANCELLED\n')
    const next = (await run('chats', 'send', chat, 'Again')).stdout.trim()
    await it.runtime.program(1)
    expect((await run('agents', 'stop', 'ada')).code).toBe(0)
    await it.runs.ended(next)
    expect((await run('agents', 'logs', 'ada', '--limit', '5')).stdout).toContain('run.')
  })

  it('says when the run failed', async () => {
    const server = await fakeServer((_, reply) =>
      reply.end(
        '{"type":"stream.open","chat_id":"c","from_seq":0,"active":true}\n{"type":"error","content":"out ' +
          'of\\u001b[31m money","seq":1}\n',
      ),
    )
    const shown = cli({ SVC_SERVER: server.url }).screen([
      'chats',
      'stream',
      'c',
      '--no-color',
      '--last-seq',
      '4',
      '--follow',
      '--idle',
      '2m',
    ])
    expect(await shown.ended).toBe(1)
    expect(shown.text()).toContain('    1  error  out of money\r\n')
    expect(server.seen[0]?.url).toBe('/api/v1/chats/c/stream?follow=true&last_seq=4&idle=120')
  })
})

describe('files of agents', () => {
  const bytes = Buffer.from([0x1b, 0x5b, 0x32, 0x4a, 0x00, 0xff, 0x0a])
  const place = async () => {
    const server = await fakeServer(({ url }, reply) => {
      if (url.startsWith('/api/v1/agents?')) return json(reply, [{ id: 'c1', slug: 'ada' }])
      if (url.includes('/files/download'))
        if (url.includes('gone')) return json(reply, { title: 'No such file', code: 'not_found' }, 404)
      if (url.includes('cut')) {
        reply.writeHead(200, { 'content-length': 100 }).write(bytes)
        return setImmediate(() => reply.destroy())
      }
      if (url.includes('/files/download')) return reply.end(bytes)
      return json(reply, [
        { path: 'out', name: 'out', size: 0, is_dir: true, mod_time: '2026-01-01T00:00:00Z' },
        { path: 'out/a.bin', name: 'a.bin', size: 1500, is_dir: false, mod_time: '2026-01-01T00:00:00Z' },
      ])
    })
    return { server, ...cli({ SVC_SERVER: server.url }) }
  }

  it('are listed', async () => {
    const { server, run, screen } = await place()
    expect((await run('agents', 'files', 'ada', 'reports', '-r')).stdout).toBe(
      'out\t\t2026-01-01T00:00:00Z\nout/a.bin\t1500\t2026-01-01T00:00:00Z\n',
    )
    expect(server.seen.at(-1)?.url).toBe('/api/v1/agents/c1/files?subdir=reports&recursive=1')
    const shown = screen(['agents', 'files', 'ada', '--no-color'])
    await shown.ended
    expect(shown.text()).toMatch(/out\/ +-.*\r\nout\/a\.bin +1\.5 kB/)
  })

  it('are fetched whole, never over a file that is there, and harmlessly onto a terminal', async () => {
    const { home, env, screen } = await place()
    const inHome = (...args: string[]) => cli(env).run('agents', 'download', 'ada', ...args)
    const to = join(home, 'a.bin')
    expect((await inHome('out/a.bin', '--to', to)).code).toBe(0)
    expect(readFileSync(to)).toEqual(bytes)
    expect(await inHome('out/a.bin', '--to', to)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('already exists'),
    })
    expect((await inHome('out/a.bin', '--to', to, '--force')).code).toBe(0)
    expect(await inHome('gone', '--to', join(home, 'gone'))).toMatchObject({
      code: 3,
      stderr: expect.stringContaining('muster files list AGENT'),
    })
    expect(existsSync(join(home, 'gone'))).toBe(false)
    expect((await inHome('cut', '--to', join(home, 'cut'))).code).not.toBe(0)
    expect((await inHome('cut', '--to', to, '--force')).code).not.toBe(0)
    expect(readFileSync(to)).toEqual(bytes)
    expect(await inHome('out/a.bin', '--to', join(home, 'no', 'folder'))).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('cannot be written'),
    })
    expect((await inHome('out/b.bin')).code).toBe(0)
    expect(readdirSync(home).toSorted()).toEqual(expect.arrayContaining(['a.bin', 'b.bin']))
    expect(readdirSync(home).filter((name) => /cut|new/.test(name))).toEqual([])
    const shown = screen(['agents', 'download', 'ada', 'x', '--to', '-'])
    await shown.ended
    expect(shown.text()).not.toContain('\u001b[2J')
  })
})
