import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { bundle } from '../../../daemon/runtime/spool/bundle.ts'
import { followSpool } from '../../../daemon/runtime/spool/follower.ts'
import { runEnd } from '../../../daemon/runtime/spool/record.ts'
import type { RunEnd, RunFile } from '../../../daemon/runtime/types.ts'

const scripts = new URL('../../../daemon/runtime/spool/', import.meta.url).pathname

export interface Started {
  dir: string
  id: string
  /** What `supervise.sh` said when it did not start the program. */
  refusal: string
  supervisor: number
}

interface Wanted {
  argv?: string[]
  sh?: string
  stdin?: string
  files?: RunFile[]
  seconds?: number
  env?: Record<string, string>
  id?: string
  /** Cuts the archive after so many bytes. */
  cut?: number
  /** The archive comes once this is resolved. */
  handedOver?: Promise<void>
}

/** A spool of its own in which runs are started as the runtimes start them, but as plain processes of this user. */
export function localSpool() {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'muster-spool-')))

  async function start({
    sh = '',
    argv = ['sh', '-c', sh],
    stdin = '',
    files = [],
    seconds = 60,
    env = {},
    id = `run-${randomUUID()}`,
    cut,
    handedOver,
  }: Wanted): Promise<Started> {
    const dir = join(root, id)
    const archive = await bundle(dir, files, stdin)
    const child = spawn('/bin/sh', [`${scripts}supervise.sh`, dir, id, String(seconds), ...argv], {
      detached: true,
      env: { PATH: process.env['PATH'], SVC_OUTPUT_DIR: root, ...env },
    })
    child.stdin.on('error', () => {})
    void Promise.resolve(handedOver).then(() => child.stdin.end(archive.subarray(0, cut ?? archive.length)))
    let [stdout, stderr] = ['', '']
    child.stderr.on('data', (chunk) => (stderr += chunk))
    await new Promise<void>((resolve) => {
      child.stdout.on('data', (chunk) => {
        stdout += chunk
        if (stdout === 'started\n') resolve()
      })
      child.on('close', () => resolve())
    })
    child.unref()
    return { dir, id, refusal: stdout === 'started\n' ? '' : stderr, supervisor: child.pid! }
  }

  return { root, start, remove: () => rmSync(root, { recursive: true, force: true }) }
}

export function endRun({ dir, id }: { dir: string; id: string }): Promise<{ code: number | null; stderr: string }> {
  return new Promise((resolve) => {
    const child = spawn('/bin/sh', [`${scripts}end-run.sh`, dir, id], { stdio: ['ignore', 'ignore', 'pipe'] })
    let stderr = ''
    child.stderr.on('data', (chunk) => (stderr += chunk))
    child.on('close', (code) => resolve({ code, stderr }))
  })
}

export interface Followed {
  output: Buffer
  offsets: number[]
  record: string | null
  stderr: string
  end: RunEnd
}

/** Follows to the end. */
export function follow(dir: string, offset = 0): Promise<Followed> {
  const chunks: Buffer[] = []
  const offsets: number[] = []
  return new Promise((resolve, reject) => {
    followSpool(dir, offset, {
      data(chunk, at) {
        chunks.push(Buffer.from(chunk))
        offsets.push(at)
      },
      ended: (record, stderr) =>
        resolve({ output: Buffer.concat(chunks), offsets, record, stderr, end: runEnd(record) }),
      failed: reject,
    })
  })
}

/** Living processes that carry the run's id; a zombie has no environment left. */
export function processesOf(id: string): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => environment(pid).includes(`SVC_RUN_ID=${id}`))
    .map(Number)
}

function environment(pid: string): string[] {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0')
  } catch {
    return []
  }
}
