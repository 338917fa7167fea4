import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { buildContainerPrograms } from '../../../build/container-programs.mjs'
import type { ChannelRequest } from '../../../daemon/runtime/spool/channel.ts'
import { frameReader, frameTypes } from '../../../daemon/runtime/spool/frames.ts'
import { endRun, localSpool } from './local-run.ts'

const folder = mkdtempSync(join(tmpdir(), 'muster-channel-'))
const spool = localSpool()
const running: ChildProcessWithoutNullStreams[] = []

beforeAll(() => buildContainerPrograms(folder))
afterEach(() => {
  for (const it of running.splice(0)) it.kill('SIGKILL')
})
afterAll(() => {
  rmSync(folder, { recursive: true, force: true })
  spool.remove()
})

function start() {
  const program = spawn(process.execPath, [join(folder, 'channel.cjs')])
  running.push(program)
  return program
}

/** A daemon's end of it. */
function attach(program: ChildProcessWithoutNullStreams, nonce: string) {
  const seen: { type: number; request: number; text: string }[] = []
  let told = () => {}
  program.stdout.on(
    'data',
    frameReader(nonce, ({ type, request, payload }) => {
      seen.push({ type, request, text: payload.toString('latin1') })
      told()
    }),
  )
  const send = (request: ChannelRequest) => program.stdin.write(`${JSON.stringify(request)}\n`)
  send({ op: 'hello', nonce })
  const text = (id: number) =>
    seen
      .filter((it) => it.request === id && it.type === frameTypes.data)
      .map((it) => it.text)
      .join('')
  return {
    send,
    text,
    seen,
    /** Resolves when something of `type` has come for the request. */
    async got(type: number, id: number) {
      for (;;) {
        const found = seen.find((it) => it.type === type && it.request === id)
        if (found) return found.text
        await new Promise<void>((resolve) => {
          told = resolve
        })
      }
    },
    async until(holds: () => boolean) {
      while (!holds()) {
        await new Promise<void>((resolve) => {
          told = resolve
        })
      }
    },
  }
}

describe('channel program', () => {
  it('follows runs beside each other and tells their ends', async () => {
    const program = start()
    const daemon = attach(program, 'n1')
    const [one, two] = await Promise.all([
      spool.start({ sh: 'echo one; exit 3' }),
      spool.start({ sh: 'echo two >&2; sleep 0.2; echo two' }),
    ])
    daemon.send({ op: 'follow', id: 1, dir: one.dir, offset: 0 })
    daemon.send({ op: 'follow', id: 2, dir: two.dir, offset: 1 })
    expect(JSON.parse(await daemon.got(frameTypes.done, 1))).toEqual({ record: 'exited 3\n', stderr: '' })
    expect(JSON.parse(await daemon.got(frameTypes.done, 2))).toEqual({ record: 'exited 0\n', stderr: 'two\n' })
    expect([daemon.text(1), daemon.text(2)]).toEqual(['one\n', 'wo\n'])
  })

  it('sends no more than its window to a daemon that takes nothing, and holds up nobody else', async () => {
    const daemon = attach(start(), 'n1')
    const [much, little] = await Promise.all([
      spool.start({ sh: 'head -c 12000000 /dev/zero' }),
      spool.start({ sh: 'echo little' }),
    ])
    daemon.send({ op: 'follow', id: 1, dir: much.dir, offset: 0 })
    await daemon.until(() => daemon.text(1).length > 4 * 1024 * 1024)
    daemon.send({ op: 'follow', id: 2, dir: little.dir, offset: 0 })
    await daemon.got(frameTypes.done, 2)
    expect(daemon.text(1).length).toBeLessThan(5 * 1024 * 1024)
    daemon.send({ op: 'ack', id: 1, bytes: daemon.text(1).length })
    await daemon.until(() => daemon.text(1).length > 8 * 1024 * 1024)
    daemon.send({ op: 'ack', id: 1, bytes: 12_000_000 })
    await daemon.got(frameTypes.done, 1)
    expect(daemon.text(1).length).toBe(12_000_000)
  })

  it('belongs to the daemon that said hello last, whatever the one before left unsaid', async () => {
    const program = start()
    const run = await spool.start({ sh: 'echo up; sleep 60' })
    const first = attach(program, 'n1')
    first.send({ op: 'follow', id: 1, dir: run.dir, offset: 0 })
    await first.until(() => first.text(1) === 'up\n')
    program.stdin.write('{"op":"follow","id":7,"dir":"/half a li')
    program.stdin.write('\n')
    const second = attach(program, 'n2')
    second.send({ op: 'follow', id: 1, dir: run.dir, offset: 2 })
    await endRun(run)
    await second.got(frameTypes.done, 1)
    expect(second.text(1)).toBe('\n')
    expect(first.seen.filter((it) => it.type === frameTypes.hello).map((it) => it.text)).toEqual(['n1', 'n2'])
  })

  it('stops following when it is told to', async () => {
    const daemon = attach(start(), 'n1')
    const run = await spool.start({ sh: 'echo up; while [ ! -e stop ]; do sleep 0.05; done; echo down' })
    daemon.send({ op: 'follow', id: 1, dir: run.dir, offset: 0 })
    await daemon.until(() => daemon.text(1) === 'up\n')
    daemon.send({ op: 'unfollow', id: 1 })
    writeFileSync(join(spool.root, 'stop'), '')
    daemon.send({ op: 'follow', id: 2, dir: run.dir, offset: 0 })
    await daemon.got(frameTypes.done, 2)
    expect(daemon.text(1)).toBe('up\n')
    expect(daemon.text(2)).toBe('up\ndown\n')
  })

  it('lists and reads, and says what it cannot', async () => {
    const daemon = attach(start(), 'n1')
    writeFileSync(join(spool.root, 'big'), Buffer.alloc(700_000, 'x'))
    daemon.send({ op: 'read', id: 1, root: spool.root, path: 'big' })
    daemon.send({ op: 'read', id: 2, root: spool.root, path: 'none' })
    daemon.send({ op: 'list', id: 3, root: spool.root, path: '', recursive: false })
    daemon.send({ op: 'list', id: 4, root: join(spool.root, 'big'), path: 'x', recursive: false })
    expect(JSON.parse(await daemon.got(frameTypes.done, 1))).toEqual({ found: true })
    expect(daemon.text(1)).toBe('x'.repeat(700_000))
    expect(JSON.parse(await daemon.got(frameTypes.done, 2))).toEqual({ found: false })
    expect(JSON.parse(await daemon.got(frameTypes.done, 3))).toEqual(
      expect.arrayContaining([expect.objectContaining({ path: 'big', size: 700_000, is_dir: false })]),
    )
    expect(JSON.parse(await daemon.got(frameTypes.done, 4))).toEqual([])
  })
})
