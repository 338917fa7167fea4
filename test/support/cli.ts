import { mkdtempSync, rmSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Role } from '#contract/roles'
import { ending } from './endings.ts'
import { openScreen, runInProcess } from './in-process.ts'
import type { Person, TestDaemon } from './index.ts'
import { openTerminal, readUntil, runProgram } from './program.ts'
import type { Ran, Shown, Size, Terminal } from './terminal.ts'

export type { Ran, Shown, Terminal } from './terminal.ts'

export interface Cli extends Commands {
  /** Home folder of its own, removed after the test. */
  home: string
  env: Record<string, string>
  /** Within this process, as a person at a terminal who types when asked. */
  screen(args: string[], size?: Size): Shown
  /** In a process and at a terminal of its own, which signals and typing ahead need. */
  terminal(args: string[], size?: Size): Terminal
  /** In a process of its own, until its standard output matches; then it is ended. What it wrote. */
  until(pattern: RegExp, ...args: string[]): Promise<string>
  /** In a process of its own: for what depends on how a program starts and ends. */
  program: Commands
}

/** Commands to their end, within this process: each has its own streams, environment and exit code. */
interface Commands {
  run(...args: string[]): Promise<Ran>
  /** As `run`, with this on standard input. */
  pipe(stdin: string, ...args: string[]): Promise<Ran>
}

/** The built command line in a home of its own, with only the given environment. */
export function cli(variables: Record<string, string> = {}): Cli {
  const home = mkdtempSync(join(tmpdir(), 'muster-cli-'))
  ending(() => rmSync(home, { recursive: true, force: true }))
  // No usual port: a daemon that happens to run on this machine is none of the tests' business.
  // No editor either: one that opens waits for a person.
  const env = { PATH: process.env['PATH'] ?? '', HOME: home, SVC_PORT: '0', EDITOR: 'true', ...variables }
  return {
    home,
    env,
    run: (...args) => runInProcess(args, env, ''),
    pipe: (stdin, ...args) => runInProcess(args, env, stdin),
    screen: (args, size = {}) => openScreen(args, env, size),
    terminal: (args, size = {}) => openTerminal(args, env, size),
    until: (pattern, ...args) => readUntil(pattern, args, env),
    program: {
      run: (...args) => runProgram(args, env, ''),
      pipe: (stdin, ...args) => runProgram(args, env, stdin),
    },
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
