import { EventEmitter } from 'node:events'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname } from 'node:path'
import { PassThrough, Writable } from 'node:stream'
import { Script } from 'node:vm'
import { ending } from './endings.ts'
import { type Ran, type Shown, type Size, screen } from './terminal.ts'

type Env = Record<string, string>

/** What a command has in place of the process that runs the tests. */
interface Given {
  env: Env
  stdin: object
  stdout: object
  stderr: object
}

type Code = (exports: object, require: Require, module: Module, file: string, dir: string, process: object) => void
type Require = (name: string) => unknown
interface Module {
  exports: Record<string, unknown>
}

const bundle = new URL('../../dist/cli/muster.cjs', import.meta.url).pathname
const compiled = new Map<string, Code>()

/** Runs the built command line within this process, to its end. */
export async function runInProcess(argv: string[], env: Env, input: string): Promise<Ran> {
  const [stdin, stdout, stderr] = [new PassThrough(), new Collected(), new Collected()]
  stdin.end(input)
  const code = await start(argv, { env: { ...env }, stdin, stdout, stderr })
  return { code, stdout: stdout.text, stderr: stderr.text }
}

/** The built command line within this process, in front of what it takes for a terminal. */
export function openScreen(argv: string[], env: Env, { cols: columns = 100, rows = 30, env: more }: Size): Shown {
  let raw = false
  const ref = () => {}
  const stdin = Object.assign(new PassThrough(), {
    isTTY: true,
    setRawMode: (to: boolean) => (raw = to),
    ref,
    unref: ref,
  })
  const parts: string[] = []
  let show = (text: string): void => void parts.push(text)
  const output = () =>
    Object.assign(new Collected((text) => show(text.replaceAll('\n', '\r\n'))), { isTTY: true, columns, rows })
  // A pager would write to the terminal of whoever runs the tests.
  const own = { ...env, TERM: 'xterm-256color', PAGER: '', ...more }
  const ended = start(argv, { env: own, stdin, stdout: output(), stderr: output() })
  const seen = screen(ended)
  show = seen.show
  parts.forEach(show)
  return {
    text: seen.text,
    until: seen.until,
    type(text) {
      // While no program reads keys, a terminal echoes them and keeps them as lines.
      if (!raw) show(text.replaceAll('\r', '\r\n'))
      stdin.write(raw ? text : text.replaceAll('\r', '\n'))
    },
    ended,
  }
}

class Collected extends Writable {
  private readonly chunks: Buffer[] = []

  constructor(each?: (text: string) => void) {
    super({
      write: (chunk: Buffer, _encoding, done) => {
        this.chunks.push(chunk)
        each?.(chunk.toString())
        done()
      },
    })
  }

  /** A process's own output cannot be ended: what is piped into it ends alone. */
  override end(): this {
    return this
  }

  get text(): string {
    return Buffer.concat(this.chunks).toString()
  }
}

/** Starts a command with a process object of its own; its exit code. */
function start(argv: string[], given: Given): Promise<number> {
  let over = false
  ending(() => {
    if (!over) throw new Error(`muster ${argv.join(' ')} has not ended: run it as a program of its own.`)
  })
  const ended = new Promise<number>((resolve, reject) => {
    const own = processFor(argv, given, resolve)
    const main = load(bundle, own) as { ended: Promise<void> }
    main.ended.then(() => resolve(Number(own.exitCode ?? 0)), reject)
  })
  return ended.finally(() => {
    over = true
  })
}

const ofEvents = ['on', 'once', 'off', 'emit', 'addListener', 'removeListener', 'listeners', 'listenerCount'] as const

/** The real process, but for what tells one command from another. */
function processFor(argv: string[], given: Given, exit: (code: number) => void): NodeJS.Process {
  const events = new EventEmitter()
  const own: object = {
    ...Object.fromEntries(ofEvents.map((name) => [name, events[name].bind(events)])),
    ...given,
    // As a program that is started in its home folder: a project's file above the tests is none of their business.
    cwd: () => given.env['HOME'] ?? process.cwd(),
    argv: [process.execPath, bundle, ...argv],
    exitCode: undefined,
    exit(code = Number(made.exitCode ?? 0)): never {
      exit(code)
      throw new Error('The program has ended.')
    },
  }
  const made: NodeJS.Process = Object.create(process, Object.getOwnPropertyDescriptors(own))
  return made
}

/** Runs a module of the build, and those that it requires, with that process. */
function load(file: string, own: object, known = new Map<string, Module>()): Module['exports'] {
  const found = known.get(file)
  if (found) return found.exports
  const module: Module = { exports: {} }
  known.set(file, module)
  const real = createRequire(file)
  const requireFrom: Require = (name) => {
    if (/^(node:)?process$/.test(name)) return own
    return name.startsWith(`${dirname(bundle)}/`) ? load(name, own, known) : real(name)
  }
  code(file)(module.exports, requireFrom, module, file, dirname(file), own)
  return module.exports
}

/** Compiled once: the commands of a file of tests share it. */
function code(file: string): Code {
  const known = compiled.get(file)
  if (known) return known
  const text = `(function (exports, require, module, __filename, __dirname, process) {${readFileSync(file, 'utf8')}\n})`
  const made = new Script(text, { filename: file }).runInThisContext() as Code
  compiled.set(file, made)
  return made
}
