import { spawn } from 'node:child_process'
import { type IPty, spawn as spawnTerminal } from 'node-pty'
import { ending } from './endings.ts'
import { type Ran, type Size, screen, type Terminal } from './terminal.ts'

const bin = new URL('../../bin/muster.js', import.meta.url).pathname

/** Runs the built command line to its end. */
export function runProgram(args: string[], env: Record<string, string>, stdin: string): Promise<Ran> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [bin, ...args], { env, cwd: env['HOME'], stdio: ['pipe', 'pipe', 'pipe'] })
    ending(() => child.kill('SIGKILL'))
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

/** Runs the built command line until its standard output matches. */
export function readUntil(pattern: RegExp, args: string[], env: Record<string, string>): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [bin, ...args], { env, cwd: env['HOME'], stdio: ['ignore', 'pipe', 'pipe'] })
    ending(() => child.kill('SIGKILL'))
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

/** The built command line at a terminal of its own. */
export function openTerminal(args: string[], env: Record<string, string>, size: Size): Terminal {
  const pty: IPty = spawnTerminal(process.execPath, [bin, ...args], {
    cols: size.cols ?? 100,
    rows: size.rows ?? 30,
    name: size.env?.['TERM'] ?? 'xterm-256color',
    env: { ...env, TERM: 'xterm-256color', ...size.env },
  })
  const ended = new Promise<number>((resolve) =>
    pty.onExit(({ exitCode, signal }) => resolve(signal ? 128 + signal : exitCode)),
  )
  const { show, text, until } = screen(ended)
  pty.onData(show)
  const kill = (signal?: string) => {
    try {
      pty.kill(signal)
    } catch {
      // It has ended by itself.
    }
  }
  ending(() => kill('SIGKILL'))
  return {
    text,
    until,
    type: (typed) => pty.write(typed),
    resize: (cols, rows) => pty.resize(cols, rows),
    ended,
    kill,
  }
}
