import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { fileSecret, prepareDirectory } from '#kernel/store/data-dir'
import { Locked, lockDirectory } from '#kernel/store/lock'
import { closing } from '#test'

function scratch(): string {
  const dir = mkdtempSync(join(tmpdir(), 'muster-lock-'))
  closing({ close: () => rmSync(dir, { recursive: true, force: true }) })
  return dir
}

/** A process that holds the lock until it is killed. */
async function holder(dir: string) {
  const program = `import Database from 'better-sqlite3'
    const db = new Database(process.argv[1]); db.pragma('locking_mode = EXCLUSIVE'); db.exec('BEGIN EXCLUSIVE');
      console.log('held'); setInterval(() => {}, 1000)`
  const child = spawn(process.execPath, ['--input-type=module', '-e', program, join(dir, 'musterd.lock')], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  await once(child.stdout, 'data')
  return child
}

describe('lockDirectory', () => {
  it('refuses a second daemon and frees the place when released', () => {
    const dir = scratch()
    const lock = lockDirectory(dir)
    expect(() => lockDirectory(dir)).toThrow(Locked)
    lock.release()
    lockDirectory(dir).release()
  })

  it('refuses while another process holds it, and is free at once when that one is killed', async () => {
    const dir = scratch()
    const other = await holder(dir)
    expect(() => lockDirectory(dir)).toThrow(/Another musterd already uses/)
    other.kill('SIGKILL')
    await once(other, 'exit')
    lockDirectory(dir).release()
  })

  it('does not call a folder that it cannot use locked', () =>
    expect(() => lockDirectory('/nonexistent/muster')).not.toThrow(Locked))
})

describe('prepareDirectory', () => {
  it('makes it, and keeps others out of one that was open', () => {
    const dir = join(scratch(), 'deep', 'er')
    prepareDirectory(dir)
    expect(statSync(dir).mode & 0o777).toBe(0o700)
    const open = join(scratch(), 'open')
    prepareDirectory(open)
    prepareDirectory(open)
    expect(statSync(open).mode & 0o777).toBe(0o700)
  })
})

describe('fileSecret', () => {
  it('is made once, for its owner alone', () => {
    const dir = scratch()
    const first = fileSecret(dir, 'encryption.key')
    expect(first).toMatch(/^[0-9a-f]{64}$/)
    expect(statSync(join(dir, 'encryption.key')).mode & 0o777).toBe(0o600)
    expect(fileSecret(dir, 'encryption.key')).toBe(first)
    expect(fileSecret(dir, 'other.key')).not.toBe(first)
  })

  it('takes what an operator has put there', () => {
    const dir = scratch()
    writeFileSync(join(dir, 'x.key'), `${'ab'.repeat(32)}\n`)
    expect(fileSecret(dir, 'x.key')).toBe('ab'.repeat(32))
  })
})
