import { spawn } from 'node:child_process'
import { get } from 'node:http'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'

interface Rehearsed {
  ready: boolean
  /** What it answers to /api/health. */
  health: string
  code: number | null
  said: string
}

/** Starts a daemon on a folder as `musterd rehearse` does, asks it how it is, and stops it. */
export async function askRehearsal(dataDir: string): Promise<Rehearsed> {
  const program = process.argv[1]!
  const child = spawn(process.execPath, [program, 'rehearse', '--data-dir', dataDir], {
    stdio: ['pipe', 'pipe', 'pipe'],
    env: { PATH: process.env['PATH'] ?? '' },
  })
  const errors = text(child.stderr)
  const ended = new Promise<number | null>((resolve) => child.on('exit', resolve).on('error', () => resolve(null)))
  const first = await Promise.race([
    new Promise<string>((resolve) => createInterface({ input: child.stdout }).once('line', resolve)),
    ended.then(() => null),
  ])
  const health = first === null ? '' : await healthOf(join(dataDir, 'musterd.sock')).catch(() => '')
  child.stdin.end()
  const code = await ended
  return { ready: health !== '', health, code, said: await errors }
}

async function healthOf(socketPath: string): Promise<string> {
  return new Promise((resolve, reject) => {
    get({ socketPath, path: '/api/health', headers: { host: 'localhost' } }, async (response) => {
      const body = await text(response)
      if (response.statusCode === 200) resolve((JSON.parse(body) as { status: string }).status)
      else reject(new Error(body))
    }).on('error', reject)
  })
}
