import { existsSync } from 'node:fs'
import { Command, Flags, type Interfaces } from '@oclif/core'
import { type Client, type Connection, createClient, createConnection, type Target } from '#client'
import { type ContextFile, readContexts } from './contexts/file.ts'
import { localSocket, resolveSession, type Session, type SessionFlags } from './contexts/session.ts'
import { explain, type Failure } from './failure.ts'
import { durationMs, expandJson } from './flags.ts'
import type { InputError } from './input.ts'
import type { Registry } from './main.ts'
import { clean } from './output/clean.ts'
import { formats, machine, type Wanted, wanted } from './output/format.ts'
import { compactJson } from './output/json.ts'
import { Printer } from './output/printer.ts'
import { spinner } from './output/spinner.ts'
import { colored, painter } from './output/theme.ts'
import { configFile } from './paths.ts'

type FlagsOf<T extends typeof Command> = Interfaces.InferredFlags<(typeof ApiCommand)['baseFlags'] & T['flags']>
type ArgsOf<T extends typeof Command> = Interfaces.InferredArgs<T['args']>

const helpGroup = 'GLOBAL'

/**
 * A command: flags and arguments read, a client for the chosen server, results in the wanted form, errors explained.
 */
export abstract class ApiCommand<T extends typeof Command> extends Command {
  static override baseFlags = {
    server: Flags.string({ char: 's', helpGroup, helpValue: 'URL', description: 'server to talk to [$SVC_SERVER]' }),
    workspace: Flags.string({
      char: 'w',
      helpGroup,
      helpValue: 'SLUG',
      description: 'workspace to work in, by slug or id [$SVC_WORKSPACE]',
    }),
    context: Flags.string({ helpGroup, helpValue: 'NAME', description: 'a stored server, see `muster contexts`' }),
    json: Flags.string({
      helpGroup,
      helpValue: '[FIELDS]',
      description: 'JSON; with --json=a,b only these members',
      noCacheDefault: true,
    }),
    jq: Flags.string({ helpGroup, helpValue: 'EXPR', description: 'filter the JSON with a jq expression' }),
    output: Flags.string({ char: 'o', helpGroup, options: formats, description: 'form of the result' }),
    quiet: Flags.boolean({ char: 'q', helpGroup, description: 'names only, and no remarks' }),
    verbose: Flags.boolean({ char: 'v', helpGroup, description: 'show the requests that are made' }),
    'no-color': Flags.boolean({ helpGroup, description: 'no colours [$NO_COLOR]' }),
    'no-pager': Flags.boolean({ helpGroup, description: 'do not page long results [$PAGER]' }),
  }

  /** Next step by problem code, where the general one does not fit. */
  static next: Readonly<Record<string, string>> = {}

  /** Failures name members of requests, not flags. */
  protected readonly speaksOfRequests: boolean = false
  protected flags!: FlagsOf<T>
  protected args!: ArgsOf<T>
  protected out!: Printer
  private contexts!: ContextFile | InputError
  private localDaemon: Target = localSocket()
  private found: { session?: Session; connection?: Connection; client?: Client } = {}

  override async init(): Promise<void> {
    const { flags, baseFlags, args, strict } = this.ctor
    this.argv = expandJson(this.argv, Object.keys(args).length > 0 || !strict)
    // A value missing from the command line must never be taken from standard input, where secrets may wait.
    for (const arg of Object.values(args)) arg.ignoreStdin = true
    const parsed = await this.parse({ flags, baseFlags, args, strict })
    this.flags = parsed.flags as FlagsOf<T>
    this.args = parsed.args as ArgsOf<T>
    this.out = new Printer(wanted(this.flags), {
      stdout: process.stdout,
      pager: !this.flags['no-pager'],
      quiet: this.flags.quiet,
    })
    this.contexts = await readContexts(configFile()).catch((error: InputError) => error)
    await this.findLocal()
  }

  /** Which server, as whom, in which workspace. */
  protected get session(): Session {
    if (this.contexts instanceof Error) throw this.contexts
    this.found.session ??= resolveSession(this.flags, process.env, this.contexts, this.localDaemon)
    return this.found.session
  }

  protected get connection(): Connection {
    this.found.connection ??= this.connect(this.session)
    return this.found.connection
  }

  /** One method for every operation of the service. */
  protected get api(): Client {
    this.found.client ??= createClient(this.connection)
    return this.found.client
  }

  /** Where its socket is missing, this machine's daemon may still be found by its proof. */
  private async findLocal(): Promise<void> {
    const { socket } = this.localDaemon
    if (this.contexts instanceof Error || existsSync(socket!)) return
    const flags: SessionFlags = this.flags
    if (flags.server || flags.context || process.env['SVC_SERVER']) return
    if (this.contexts.current !== undefined && !process.env['SVC_DATA_DIR']) return
    const { localTarget } = await import('./local/instance.ts')
    this.localDaemon = await localTarget()
  }

  /** All commands. */
  protected get registry(): Registry {
    return (this.config as unknown as { registry: Registry }).registry
  }

  /** A connection for a session, watched by --verbose. */
  protected connect({ target, token, workspace }: Session): Connection {
    // Not performance.now(): merely naming it loads modules that take a millisecond.
    const started = process.hrtime()
    const timeout = durationMs(process.env['SVC_HTTP_TIMEOUT'], 'SVC_HTTP_TIMEOUT')
    return createConnection({
      server: target,
      headers: { 'user-agent': this.config.userAgent },
      ...(token && { token }),
      ...(workspace && { workspace }),
      ...(timeout && { timeout }),
      onReply: ({ status, headers }, { method, path }) => {
        worked()
        if (this.flags.verbose)
          process.stderr.write(
            clean(`${method} ${path} ${status} ${elapsed(started)} ms ${headers['x-request-id'] ?? ''}\n`),
          )
        this.compare(headers['x-svc-server-version'])
      },
    })
  }

  /** Shows a spinner at a terminal while the work is done. */
  protected async progress<R>(
    text: string,
    work: Promise<R> | ((say: (text: string) => void) => Promise<R>),
  ): Promise<R> {
    const mark = this.out.screen.quiet ? undefined : spinner(text, process.stderr)
    try {
      return await (typeof work === 'function' ? work((next) => mark?.say(next)) : work)
    } finally {
      mark?.stop()
    }
  }

  /** Ends the command with this exit code once its output is written. */
  protected finish(code: number): void {
    process.exitCode = code
  }

  protected override async catch(error: Error): Promise<void> {
    const command = (this.id ?? '').replaceAll(':', ' ')
    const { session } = this.found
    const local = session?.target.socket !== undefined || session?.serverOrigin === 'default'
    const failure = explain(error, {
      command,
      shape: this.ctor,
      speaksOfRequests: this.speaksOfRequests,
      known: this.registry,
      next: (this.ctor as typeof ApiCommand).next,
      local,
      hasToken: Boolean(session?.token),
    })
    report(failure, this.out?.wanted ?? guess(this.argv))
    if (this.flags?.verbose && failure.exit === 1 && error.stack) process.stderr.write(`${error.stack}\n`)
    process.exitCode = failure.exit
  }

  private warned = false

  private compare(server: string | string[] | undefined): void {
    if (this.warned || typeof server !== 'string') return
    const release = (version: string) => version.split('.').slice(0, 2).join('.')
    if (release(server) === release(this.config.version) || process.stderr.isTTY !== true) return
    this.warned = true
    this.out.note(
      `The server runs ${server}, this command is ${this.config.version}: they may not fit each other.`,
      'yellow',
    )
  }
}

function elapsed(since: [number, number]): number {
  const [seconds, nanos] = process.hrtime(since)
  return Math.round(seconds * 1000 + nanos / 1e6)
}

/** Tells the launcher that what most commands need is compiled by now and worth keeping. */
const worked = () => Object.assign(process, { [Symbol.for('muster.worked')]: true })

/** The format of an error that occurs before the flags are parsed. */
const guess = (argv: string[]): Wanted =>
  wanted({ ...(argv.some((word) => /^--(json|jq)\b|^-o=?json/.test(word)) && { json: '*' }) })

/** Writes a failure to stderr, as JSON when a program reads the result. */
export function report({ what, why, next, problem }: Failure, form: Wanted): void {
  if (!what) return
  if (machine(form)) {
    process.stderr.write(`${compactJson(problem)}\n`)
    return
  }
  const paint = painter(colored(process.stderr))
  const lines = [`${paint('red', 'Error:')} ${clean(what)}`, ...why.map((line) => `  ${clean(line)}`)]
  if (next) lines.push(`${paint('dim', 'Next:')} ${clean(next)}`)
  process.stderr.write(`${lines.join('\n')}\n`)
}
