import type { Buffer } from 'node:buffer'
import { spawn } from 'node:child_process'
import { StringDecoder } from 'node:string_decoder'
import { RuntimeError } from '../errors.ts'
import { bounded } from '../spool/bounded.ts'
import type { AgentCommand, CommandEnd } from '../types.ts'

/** Variables of the daemon's environment that a local process inherits; others may hold keys. */
const kept = ['PATH', 'USER', 'LOGNAME', 'TMPDIR']

const baseEnvironment = (): Record<string, string> => ({
  LANG: 'C.UTF-8',
  TZ: 'UTC',
  ...Object.fromEntries(kept.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]!]]))),
})

/** Starts a script in its own session; resolves once it prints `word`, else rejects with its output. */
export function launch(
  script: string,
  args: string[],
  env: Record<string, string>,
  stdin: Buffer,
  word: string,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn('/bin/sh', [script, ...args], {
      detached: true,
      cwd: '/',
      env: { ...baseEnvironment(), ...env },
    })
    let [stdout, stderr] = ['', '']
    child.stdout.on('data', (chunk) => {
      stdout += chunk
      if (stdout !== word) return
      for (const stream of [child.stdin, child.stdout, child.stderr]) stream.destroy()
      child.unref()
      resolve()
    })
    child.stderr.on('data', (chunk) => {
      stderr += chunk
    })
    child.on('error', reject)
    child.on('close', (code) =>
      reject(new RuntimeError('refused', stderr.trim() || `it could not be started (${code})`)),
    )
    // A script that refuses to start does not read all of its input.
    child.stdin.on('error', () => {})
    child.stdin.end(stdin)
  })
}

export function run(script: string, args: string[]): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn('/bin/sh', [script, ...args], {
      detached: true,
      cwd: '/',
      env: baseEnvironment(),
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    let stderr = ''
    child.stderr.on('data', (chunk) => {
      stderr += chunk
    })
    child.on('error', reject)
    child.on('close', (code) =>
      code === 0 ? resolve() : reject(new RuntimeError('refused', stderr.trim() || `${script} failed (${code})`)),
    )
  })
}

const maxAnswer = 64 * 1024

/** Runs a short program to its end. */
export function runCommand({ argv, env, stdin, seconds, mostBytes = maxAnswer }: AgentCommand): Promise<CommandEnd> {
  return new Promise((resolve, reject) => {
    const [program, ...args] = [...bounded(seconds), ...argv]
    const child = spawn(program!, args, { detached: true, cwd: '/', env: { ...baseEnvironment(), ...env } })
    const said = { stdout: '', stderr: '' }
    for (const source of ['stdout', 'stderr'] as const) {
      const text = new StringDecoder()
      child[source].on('data', (chunk: Buffer) => {
        if (said[source].length < mostBytes) said[source] += text.write(chunk)
      })
    }
    child.on('error', reject)
    child.on('close', (code) => resolve({ code: code ?? -1, ...said }))
    // A program that refuses does not read all of its input.
    child.stdin.on('error', () => {})
    child.stdin.end(stdin)
  })
}
