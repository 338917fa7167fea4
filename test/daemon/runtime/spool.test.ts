import { spawn } from 'node:child_process'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { runEnvironment } from '../../../daemon/runtime/spool/environment.ts'
import { followSpool } from '../../../daemon/runtime/spool/follower.ts'
import { deferred } from '../../support/deferred.ts'
import { endRun, follow, localSpool, processesOf } from './local-run.ts'

const spool = localSpool()
afterAll(spool.remove)
const { start } = spool

const gone = (id: string) => expect(processesOf(id), 'processes left over').toEqual([])

/** Resolves when the run has printed `text`. */
function printed(dir: string, text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    let seen = ''
    const following = followSpool(dir, 0, {
      data(chunk) {
        seen += chunk
        if (seen.includes(text)) {
          following.close()
          resolve()
        }
      },
      ended: () => reject(new Error(`the run ended after ${JSON.stringify(seen)}`)),
      failed: reject,
    })
  })
}

describe.concurrent('supervise.sh', () => {
  it('keeps what the program writes and how it exits', async () => {
    const run = await start({ sh: 'cat; echo two; echo wrong >&2; exit 3', stdin: 'one\n' })
    const { output, stderr, end } = await follow(run.dir)
    expect(output.toString()).toBe('one\ntwo\n')
    expect(stderr).toBe('wrong\n')
    expect(end).toEqual({ kind: 'exit', code: 3, timedOut: false })
  })

  it('keeps binary bytes and a last line without its newline', async () => {
    const run = await start({ sh: "printf 'a\\000b\\377\\r\\n\\nlast'" })
    const { output } = await follow(run.dir)
    expect(output).toEqual(Buffer.from([0x61, 0, 0x62, 0xff, 0x0d, 0x0a, 0x0a, ...Buffer.from('last')]))
  })

  it('keeps 64 MB in order', async () => {
    const run = await start({ sh: 'seq 1 8500000' })
    const { output, offsets } = await follow(run.dir)
    expect(output.length).toBeGreaterThan(64e6)
    const lines = output.toString('latin1').split('\n')
    expect(lines.pop()).toBe('')
    expect(lines.length).toBe(8500000)
    expect(lines.every((line, index) => Number(line) === index + 1)).toBe(true)
    expect(offsets.every((at, index) => index === 0 || at > offsets[index - 1]!)).toBe(true)
  })

  it('writes the files with their modes before the program starts', async () => {
    const [secret, open] = [join(spool.root, 'deep/er/secret'), join(spool.root, 'open')]
    const run = await start({
      sh: `stat -c %a ${secret} ${open}; cat ${secret}`,
      files: [
        { path: secret, content: 'hidden' },
        { path: open, content: '', mode: 0o755 },
      ],
    })
    expect((await follow(run.dir)).output.toString()).toBe('600\n755\nhidden')
  })

  it('tells a timeout from a program that exits 124', async () => {
    const [slow, own] = await Promise.all([start({ sh: 'sleep 30', seconds: 1 }), start({ sh: 'exit 124' })])
    expect(await follow(slow.dir)).toMatchObject({ end: { kind: 'exit', code: 124, timedOut: true }, stderr: '' })
    expect((await follow(own.dir)).end).toEqual({ kind: 'exit', code: 124, timedOut: false })
    gone(slow.id)
  })

  it('names the signal a program died of', async () => {
    const run = await start({ sh: 'kill -SEGV $$' })
    expect((await follow(run.dir)).end).toEqual({ kind: 'signal', signal: 'SIGSEGV' })
  })

  it('leaves an exit code above 128 that no deadly signal explains', async () => {
    const run = await start({ sh: 'exit 145' })
    expect((await follow(run.dir)).end).toEqual({ kind: 'exit', code: 145, timedOut: false })
  })

  it('says that a program is not there', async () => {
    const run = await start({ argv: ['no-such-program'] })
    const { end, stderr } = await follow(run.dir)
    expect(end).toEqual({ kind: 'exit', code: 127, timedOut: false })
    expect(stderr).toContain('no-such-program')
  })

  it('gives the program its environment, its folder, its umask and a group of its own', async () => {
    const run = await start({
      sh: 'echo $SVC_RUN_ID $EXTRA; pwd; umask; ps -o pgid= -p $$ | tr -d " "; echo $PPID',
      env: { EXTRA: 'yes' },
    })
    const [env, cwd, umask, group, parent] = (await follow(run.dir)).output.toString().split('\n')
    expect([env, cwd, umask]).toEqual([`${run.id} yes`, spool.root, '0002'])
    expect(group).toBe(parent)
  })

  it('ends what the program left in its group, even what ignores TERM', async () => {
    const run = await start({
      sh:
        'sleep 60 & sh -c "trap \\"\\" TERM; echo deaf; while :; do sleep 60; done" & read line </dev/zero & sleep ' +
        '0.3',
    })
    const { end } = await follow(run.dir)
    expect(end).toEqual({ kind: 'exit', code: 0, timedOut: false })
    gone(run.id)
  })

  it('leaves no trace of prompt or secrets in any argument list', async () => {
    const run = await start({
      sh: "cat >/dev/null; ps axww -o args; printf '%s' '<end>'",
      stdin: 'a-prompt-to-hide',
      files: [{ path: join(spool.root, 'hide'), content: 'a-secret-to-hide' }],
    })
    const { output } = await follow(run.dir)
    expect(output.toString()).toContain('<end>')
    expect(output.toString()).not.toMatch(/a-(prompt|secret)-to-hide/)
  })

  it('starts nothing when the archive was cut short, wherever', async () => {
    const marker = join(spool.root, 'cut-marker')
    const files = [{ path: join(spool.root, 'cut-file'), content: 'x'.repeat(3000) }]
    for (const cut of [0, 300, 512, 1500, 3584, 4096, 4608, 5000]) {
      const run = await start({ sh: `echo ran >>${marker}`, stdin: 'y'.repeat(600), files, cut })
      expect(run.refusal, `cut after ${cut}`).toContain('did not arrive whole')
      expect((await follow(run.dir)).end).toEqual({
        kind: 'lost',
        reason: 'its files did not arrive whole',
        never: true,
      })
    }
    expect(existsSync(marker)).toBe(false)
  })

  it('starts a run id once', async () => {
    const run = await start({ sh: 'echo once' })
    const second = await start({ sh: 'echo twice', id: run.id })
    expect(second.refusal).toContain('started or ended before')
    expect((await follow(run.dir)).output.toString()).toBe('once\n')
  })

  it('refuses a secrets folder that is not its own', async () => {
    const run = await start({ sh: 'echo ran', env: { SVC_SECRETS_DIR: '/proc/self' } })
    expect(run.refusal).toContain('belongs to somebody else')
  })
})

describe.concurrent('a supervisor that was killed', () => {
  it('reads as lost, with all output, and what it left behind can be ended', async () => {
    const run = await start({ sh: 'echo working; sleep 60' })
    await printed(run.dir, 'working')
    process.kill(run.supervisor, 'SIGKILL')
    const { end, output } = await follow(run.dir)
    expect(end.kind).toBe('lost')
    expect(output.toString()).toBe('working\n')
    expect(processesOf(run.id).length).toBeGreaterThan(0)
    expect(await endRun(run)).toMatchObject({ code: 0 })
    gone(run.id)
    expect((await follow(run.dir)).end.kind).toBe('lost')
  })

  it('is not taken for another process that has its number now, though that one names the run', async () => {
    const run = await start({ sh: 'echo working; sleep 60' })
    await printed(run.dir, 'working')
    process.kill(run.supervisor, 'SIGKILL')
    // As in a container made anew, where end-run.sh itself may be given the number of the supervisor that was.
    const bystander = spawn('/bin/sh', ['-c', 'sleep 300', '/elsewhere/end-run.sh', run.dir, run.id], {
      detached: true,
      stdio: 'ignore',
    })
    writeFileSync(`${run.dir}.run`, `${bystander.pid}\n`)
    try {
      expect(await endRun(run)).toEqual({ code: 0, stderr: '' })
      expect((await follow(run.dir)).record?.trim()).toBe('lost')
      expect(bystander.exitCode, 'the bystander lives').toBe(null)
    } finally {
      process.kill(-bystander.pid!, 'SIGKILL')
      for (const pid of processesOf(run.id)) process.kill(pid, 'SIGKILL')
    }
  })
})

describe.concurrent('end-run.sh', { timeout: 60_000 }, () => {
  it('ends the group with TERM and keeps how the program took it', async () => {
    const run = await start({ sh: 'trap "echo bye; exit 7" TERM; echo up; while :; do sleep 0.05; done' })
    await printed(run.dir, 'up')
    expect(await endRun(run)).toEqual({ code: 0, stderr: '' })
    const { end, output } = await follow(run.dir)
    expect(output.toString()).toBe('up\nbye\n')
    expect(end).toEqual({ kind: 'exit', code: 7, timedOut: false })
    gone(run.id)
  })

  it('kills what ignores TERM, what went into a session of its own, and what both forked', async () => {
    const deaf = 'trap "" TERM; while :; do sleep 0.2; done'
    const run = await start({
      sh:
        `setsid sh -c '${deaf}' & setsid setsid sleep 300 & sh -c '${deaf}' & ` +
        `${deaf.replace('trap "" TERM;', 'trap "" TERM; echo up;')}`,
    })
    await printed(run.dir, 'up')
    expect(await endRun(run)).toEqual({ code: 0, stderr: '' })
    gone(run.id)
    expect((await follow(run.dir)).end).toEqual({ kind: 'signal', signal: 'SIGKILL' })
  })

  it('ends one run and no other', async () => {
    const [one, other] = await Promise.all([start({ sh: 'echo up; sleep 60' }), start({ sh: 'echo up; sleep 60' })])
    await Promise.all([printed(one.dir, 'up'), printed(other.dir, 'up')])
    await endRun(one)
    gone(one.id)
    expect(processesOf(other.id).length).toBeGreaterThan(0)
    await endRun(other)
    gone(other.id)
  })

  it('keeps a run that was not started from ever starting', async () => {
    const id = 'run-never'
    await endRun({ dir: join(spool.root, id), id })
    const run = await start({ sh: 'echo ran', id })
    expect(run.refusal).toContain('started or ended before')
    const { end, output } = await follow(run.dir)
    expect(end).toEqual({ kind: 'lost', reason: 'ended before it began', never: true })
    expect(output.length).toBe(0)
  })

  it('takes a run whose folder is gone, like its supervisor, for one that never began', async () => {
    const run = await start({ sh: 'echo ran' })
    await follow(run.dir)
    rmSync(run.dir, { recursive: true })
    await endRun(run)
    expect((await follow(run.dir)).end).toEqual({ kind: 'lost', reason: 'its files are gone', never: true })
  })

  it('ends a run that is still being started, at whatever moment it comes', { timeout: 60_000 }, async () => {
    const marker = join(spool.root, 'early-marker')
    for (const round of [0, 2, 4, 6, 8, 11, 15, 20]) {
      const id = `run-early-${round}`
      const dir = join(spool.root, id)
      const starting = start({ sh: `sleep 5; echo ran >>${marker}`, id })
      await new Promise((resolve) => setTimeout(resolve, round))
      expect(await endRun({ dir, id })).toEqual({ code: 0, stderr: '' })
      await starting
      gone(id)
      expect(readFileSync(join(dir, 'exit'), 'utf8')).not.toBe('')
    }
    expect(existsSync(marker)).toBe(false)
  })

  it('does no harm to a run that ended, nor twice', async () => {
    const run = await start({ sh: 'exit 5' })
    await follow(run.dir)
    expect(await endRun(run)).toEqual({ code: 0, stderr: '' })
    expect(await endRun(run)).toEqual({ code: 0, stderr: '' })
    expect((await follow(run.dir)).end).toEqual({ kind: 'exit', code: 5, timedOut: false })
  })

  it('does not trust a group number that now means somebody else', async () => {
    const run = await start({ sh: 'exit 0' })
    await follow(run.dir)
    const bystander = await start({ sh: 'echo up; sleep 60' })
    await printed(bystander.dir, 'up')
    writeFileSync(join(run.dir, 'group'), readFileSync(join(bystander.dir, 'group')))
    writeFileSync(`${run.dir}.run`, String(bystander.supervisor))
    await endRun(run)
    expect(processesOf(bystander.id).length).toBeGreaterThan(0)
    await endRun(bystander)
  })
})

describe('environment of a run', () => {
  it('does not make the supervisor one of those that end with the run', () => {
    const places = {
      home: '/h',
      output: '/o',
      workspace: '/w',
      secrets: '/s',
      crewShared: '/c',
      workspaceShared: '/ws',
      runs: '/r',
      sidecarUrl: '',
    }
    expect(runEnvironment(places, { SVC_RUN_ID: 'r1', HOME: '/elsewhere', X: 'y' })).toEqual({
      HOME: '/elsewhere',
      SVC_OUTPUT_DIR: '/o',
      SVC_SECRETS_DIR: '/s',
      SVC_CREW_SHARED: '/c',
      X: 'y',
    })
  })
})

describe.concurrent('following', () => {
  it('goes on from any offset', async () => {
    const run = await start({ sh: 'printf 0123456789; sleep 0.3; printf abcdef' })
    const [live, late] = [follow(run.dir, 4), follow(run.dir, 0)]
    expect((await live).output.toString()).toBe('456789abcdef')
    expect((await late).output.toString()).toBe('0123456789abcdef')
    expect((await follow(run.dir, 12)).output.toString()).toBe('cdef')
    expect((await follow(run.dir, 16)).output.length).toBe(0)
  })

  it('waits for a supervisor that has begun and is not ready yet', async () => {
    const handedOver = deferred()
    const id = 'run-slow-start'
    const dir = join(spool.root, id)
    const starting = start({ sh: 'echo up', id, handedOver: handedOver.promise })
    await expect.poll(() => existsSync(`${dir}.run`) && readFileSync(`${dir}.run`, 'utf8')).toMatch(/\d/)
    const following = follow(dir)
    handedOver.resolve()
    await starting
    const { output, end } = await following
    expect(output.toString()).toBe('up\n')
    expect(end).toEqual({ kind: 'exit', code: 0, timedOut: false })
  })

  it('reads a run whose supervisor ended before it was ready as lost', async () => {
    const handedOver = deferred()
    const id = 'run-no-start'
    const starting = start({ sh: 'echo up', id, handedOver: handedOver.promise })
    await expect.poll(() => existsSync(join(spool.root, `${id}.run`))).toBe(true)
    const following = follow(join(spool.root, id))
    process.kill(Number(readFileSync(join(spool.root, `${id}.run`), 'utf8')), 'SIGKILL')
    handedOver.resolve()
    await starting
    const { record, end } = await following
    expect(record).toBe(null)
    expect(end.kind).toBe('lost')
  })

  it('takes an empty record for none', async () => {
    const run = await start({ sh: 'exit 0' })
    await follow(run.dir)
    writeFileSync(join(run.dir, 'exit'), '')
    expect((await follow(run.dir)).record).toBe(null)
  })

  it('reads a run that has no folder as lost', async () => {
    expect((await follow(join(spool.root, 'run-nowhere'))).end.kind).toBe('lost')
  })

  it('follows no link that was put in the place of the output', async () => {
    const run = await start({
      sh: `rm ${spool.root}/run-link/out; ln -s /etc/passwd ${spool.root}/run-link/out`,
      id: 'run-link',
    })
    await new Promise<void>((resolve) => {
      const following = followSpool(run.dir, 0, { data() {}, ended: () => resolve(), failed: () => resolve() })
      void following
    })
    const { output } = await follow(run.dir)
    expect(output.length).toBe(0)
  })

  it('keeps the last 8 KiB of standard error', async () => {
    const run = await start({ sh: 'seq 1 10000 >&2' })
    const { stderr } = await follow(run.dir)
    expect(stderr.length).toBe(8192)
    expect(stderr.endsWith('9999\n10000\n')).toBe(true)
  })
})
