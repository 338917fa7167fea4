import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type IPty, spawn as spawnTerminal } from 'node-pty'
import { afterEach } from 'vitest'
import type { Role } from '#contract/roles'
import type { Person, TestDaemon } from './index.ts'

const bin = new URL('../../bin/muster.js', import.meta.url).pathname

const cleanups: (() => void)[] = []
afterEach(() => {
  for (const cleanup of cleanups.splice(0).reverse()) cleanup()
})

export interface Ran {
  code: number | null
  stdout: string
  stderr: string
}

export interface Terminal {
  /** Everything that the screen was sent so far. */
  text(): string
  /** Resolves once the screen was sent something that matches. */
  until(pattern: RegExp): Promise<string>
  type(text: string): void
  resize(cols: number, rows: number): void
  /** The exit code; 128 and the signal when one ended it, as shells say. */
  ended: Promise<number>
  kill(signal?: string): void
}

export interface Cli {
  /** Home folder of its own, removed after the test. */
  home: string
  env: Record<string, string>
  run(...args: string[]): Promise<Ran>
  /** As `run`, with this on standard input. */
  pipe(stdin: string, ...args: string[]): Promise<Ran>
  /** Runs a command until its standard output matches, then ends it; what it wrote. */
  until(pattern: RegExp, ...args: string[]): Promise<string>
  /** As a person at a terminal. */
  terminal(args: string[], size?: { cols?: number; rows?: number; env?: Record<string, string> }): Terminal
}

/** The built command line in a home of its own, with only the given environment. */
export function cli(variables: Record<string, string> = {}): Cli {
  const home = mkdtempSync(join(tmpdir(), 'muster-cli-'))
  cleanups.push(() => rmSync(home, { recursive: true, force: true }))
  const env = { PATH: process.env['PATH'] ?? '', HOME: home, ...variables }
  const run = (stdin: string, args: string[]) => runProcess(args, env, stdin)
  return {
    home,
    env,
    run: (...args) => run('', args),
    pipe: (stdin, ...args) => run(stdin, args),
    until: (pattern, ...args) => readUntil(pattern, args, env),
    terminal: (args, size = {}) => openTerminal(args, env, size),
  }
}

/** The command line of a member of the test daemon's workspace, over a port of its own. */
export async function cliFor(
  daemon: TestDaemon,
  who: Person | Role = 'OWNER',
  variables: Record<string, string> = {},
): Promise<Cli> {
  const { address, port } = (daemon.http.server.address() ?? (await listening(daemon))) as AddressInfo
  const { token, workspace } = typeof who === 'string' ? daemon.person(who) : who
  return cli({ SVC_SERVER: `http://${address}:${port}`, SVC_TOKEN: token, SVC_WORKSPACE: workspace, ...variables })
}

async function listening({ http }: TestDaemon): Promise<unknown> {
  await http.listen({ port: 0, host: '127.0.0.1' })
  return http.server.address()
}

function runProcess(args: string[], env: Record<string, string>, stdin: string): Promise<Ran> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [bin, ...args], { env, stdio: ['pipe', 'pipe', 'pipe'] })
    cleanups.push(() => child.kill('SIGKILL'))
    const out: Buffer[] = []
    const err: Buffer[] = []
    child.stdout.on('data', (chunk: Buffer) => out.push(chunk))
    child.stderr.on('data', (chunk: Buffer) => err.push(chunk))
    child.stdin.on('error', () => {})
    child.on('error', reject)
    child.on('close', (code) =>
      resolve({ code, stdout: Buffer.concat(out).toString(), stderr: Buffer.concat(err).toString() }),
    )
    child.stdin.end(stdin)
  })
}

function readUntil(pattern: RegExp, args: string[], env: Record<string, string>): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [bin, ...args], { env, stdio: ['ignore', 'pipe', 'pipe'] })
    cleanups.push(() => child.kill('SIGKILL'))
    let out = ''
    let err = ''
    child.stderr.on('data', (chunk) => (err += chunk))
    child.stdout.on('data', (chunk) => {
      out += chunk
      if (pattern.test(out)) child.kill()
    })
    child.on('error', reject)
    child.on('close', () =>
      pattern.test(out)
        ? resolve(out)
        : reject(new Error(`The command ended without writing ${pattern}:\n${out}${err}`)),
    )
  })
}

function openTerminal(
  args: string[],
  env: Record<string, string>,
  size: { cols?: number; rows?: number; env?: Record<string, string> },
): Terminal {
  const pty: IPty = spawnTerminal(process.execPath, [bin, ...args], {
    cols: size.cols ?? 100,
    rows: size.rows ?? 30,
    name: size.env?.['TERM'] ?? 'xterm-256color',
    env: { ...env, TERM: 'xterm-256color', ...size.env },
  })
  let shown = ''
  const waiting = new Set<() => void>()
  const ended = new Promise<number>((resolve) =>
    pty.onExit(({ exitCode, signal }) => resolve(signal ? 128 + signal : exitCode)),
  )
  pty.onData((data) => {
    shown += data
    for (const check of waiting) check()
  })
  const kill = (signal?: string) => {
    try {
      pty.kill(signal)
    } catch {
      // It has ended by itself.
    }
  }
  cleanups.push(() => kill('SIGKILL'))
  return {
    text: () => shown,
    until: (pattern) =>
      new Promise((resolve, reject) => {
        const check = () => {
          if (!pattern.test(shown)) return
          waiting.delete(check)
          resolve(shown)
        }
        waiting.add(check)
        check()
        ended.then(() => reject(new Error(`The command ended without showing ${pattern}:\n${shown}`)))
      }),
    type: (text) => pty.write(text),
    resize: (cols, rows) => pty.resize(cols, rows),
    ended,
    kill,
  }
}
