import { existsSync } from 'node:fs'
import { Command, type Interfaces } from '@oclif/core'
import { type Client, type Connection, createClient, createConnection, type Target } from '#client'
import { baseFlags } from './base-flags.ts'
import { type ChangeFlags, type Outcome, Tried, type Trying, tryHere, tryingOnly } from './changing.ts'
import { type ContextFile, readContexts } from './contexts/file.ts'
import { isLocal, localSocket, resolveSession, type Session, type SessionFlags } from './contexts/session.ts'
import { exits, explain } from './failure.ts'
import { durationMs, expandJson } from './flags.ts'
import { confirm, confirmName, type InputError } from './input.ts'
import { requireOwnSocket } from './local/owner.ts'
import { idFlags, idNames, isPartOfId } from './lookup/names.ts'
import type { Registry } from './main.ts'
import { clean } from './output/clean.ts'
import { machine } from './output/format.ts'
import type { Members } from './output/members.ts'
import { openPrinter } from './output/open.ts'
import type { Printer } from './output/printer.ts'
import { shellWord } from './output/shell-word.ts'
import { spinner } from './output/spinner.ts'
import { configFile } from './paths.ts'
import { type Project, readProject, withProject } from './project.ts'
import { docsOf, guess, report } from './report.ts'

type FlagsOf<T extends typeof Command> = Interfaces.InferredFlags<(typeof ApiCommand)['baseFlags'] & T['flags']>
type ArgsOf<T extends typeof Command> = Interfaces.InferredArgs<T['args']>

type Words = Record<string, unknown>

/**
 * A command: flags and arguments read, a client for the chosen server, results in the wanted form, errors explained.
 */
export abstract class ApiCommand<T extends typeof Command> extends Command {
  static override baseFlags = baseFlags

  /**
   * What `--json` answers, when that is not the reply of the operation that the command is named after: replies of
   * other operations, further members, or anything.
   */
  static result?: { of?: readonly string[]; members?: readonly string[]; any?: true }

  /** Next step by problem code, where the general one does not fit. */
  static next: Readonly<Record<string, string>> = {}

  /** It asks no server, and looks for none. */
  static offline = false

  /** Failures name members of requests, not flags. */
  protected readonly speaksOfRequests: boolean = false
  protected flags!: FlagsOf<T>
  protected args!: ArgsOf<T>
  protected out!: Printer
  protected project: Project = {}
  private contexts!: ContextFile | InputError
  private typed: Words = {}
  private localDaemon: Target = localSocket()
  private found: { session?: Session; connection?: Connection; client?: Client } = {}

  override async init(): Promise<void> {
    const { flags, baseFlags, args, strict } = this.ctor
    this.argv = expandJson(this.argv, Object.keys(args).length > 0 || !strict)
    // A value missing from the command line must never be taken from standard input, where secrets may wait.
    for (const arg of Object.values(args)) arg.ignoreStdin = true
    this.project = readProject(process.cwd())
    this.argv = withProject(this.argv, { id: this.id ?? '', args, flags: { ...baseFlags, ...flags } }, this.project)
    const parsed = await this.parse({ flags, baseFlags, args, strict })
    this.flags = parsed.flags as FlagsOf<T>
    this.args = parsed.args as ArgsOf<T>
    // A command with a flag of that name has no text template.
    const form = flags && 'template' in flags ? { ...this.flags, template: undefined } : this.flags
    this.out = await openPrinter(form, {
      members: () => this.members(),
      shown: (ids) => this.remember(ids),
    })
    this.out.already = () => this.alreadySo()
    this.contexts = await readContexts(configFile()).catch((error: InputError) => error)
    await this.findLocal()
    await this.completeIds()
  }

  private async remember(ids: string[]): Promise<void> {
    const { rememberList } = await import('./lookup/shown.ts')
    rememberList(this.id!.split(':')[0]!, ids)
  }

  /** Short ids, numbers of the last list and names, where an argument takes the id of something without a slug. */
  private async completeIds(): Promise<void> {
    const [args, flags] = [this.args, this.flags] as [Words, Words]
    const isPart = (words: Words, names: readonly string[]) => names.some((name) => isPartOfId(name, words[name]))
    if (!isPart(args, idNames) && !isPart(flags, idFlags)) return
    this.typed = { ...args }
    const { completeIds } = await import('./lookup/complete.ts')
    await completeIds({ args, flags }, { api: () => this.api, session: () => this.session })
  }

  /** An argument as the person knows it: its name rather than its id; the number of a row is no name. */
  protected called(arg: string): string {
    const typed = this.typed[arg]
    return typeof typed === 'string' && !/^\d+$/.test(typed) ? typed : String((this.args as Words)[arg])
  }

  private members(): Members | undefined {
    return this.registry.describe(this.id!).members ?? undefined
  }

  /** A person sits at a terminal that can be drawn on, and asked for no other form. */
  protected get atTerminal(): boolean {
    const { format, jq } = this.out.wanted
    return (
      process.stdin.isTTY === true &&
      process.stdout.isTTY === true &&
      process.env['TERM'] !== 'dumb' &&
      format === 'auto' &&
      jq === undefined
    )
  }

  /** Which server, as whom, in which workspace. */
  protected get session(): Session {
    if (this.contexts instanceof Error) throw this.contexts
    this.found.session ??= resolveSession(this.flags, process.env, this.contexts, this.localDaemon, this.project)
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
    if ((this.ctor as typeof ApiCommand).offline) return
    if (this.contexts instanceof Error || existsSync(socket!)) return
    const flags: SessionFlags = this.flags
    const { SVC_SERVER, SVC_CONTEXT } = process.env
    if (flags.server || flags.context || SVC_SERVER || SVC_CONTEXT || this.project.context) return
    if (this.contexts.current !== undefined && !process.env['SVC_DATA_DIR']) return
    const { localTarget } = await import('./local/instance.ts')
    this.localDaemon = await localTarget()
  }

  /** All commands. */
  protected get registry(): Registry {
    return (this.config as unknown as { registry: Registry }).registry
  }

  /** A connection for a session, watched by --verbose. */
  protected connect(session: Session): Connection {
    const { target, token, workspace } = session
    // Not performance.now(): merely naming it loads modules that take a millisecond.
    const started = process.hrtime()
    const timeout = durationMs(process.env['SVC_HTTP_TIMEOUT'], 'SVC_HTTP_TIMEOUT')
    const connection = createConnection({
      server: target,
      headers: { 'user-agent': this.config.userAgent },
      ...(token && { token }),
      ...(workspace && { workspace }),
      ...(timeout && { timeout }),
      guard: () => requireOwnSocket(session),
      onReply: ({ status, headers }, { method, path }) => {
        worked()
        if (method !== 'GET' && status < 300) this.changes.push(headers['muster-unchanged'] === 'true')
        if (this.flags.verbose)
          process.stderr.write(
            clean(`${method} ${path} ${status} ${elapsed(started)} ms ${headers['x-request-id'] ?? ''}\n`),
          )
        this.compare(headers['x-svc-server-version'])
      },
    })
    return this.dry ? tryingOnly(connection) : connection
  }

  /** True when changes are only tried. */
  protected get dry(): boolean {
    return (this.flags as ChangeFlags)['dry-run'] === true
  }

  /** What was changed so far: true where it was so already. */
  /** What may be typed next after this outcome; undefined: what the table of outcomes names. */
  protected upNext: string | undefined
  private readonly changes: boolean[] = []
  private readonly outcomes: Outcome[] = []

  /** Makes the same change to each of several things; a dry run tries all of them. */
  protected async each<R>(things: readonly R[], change: (thing: R) => Promise<unknown>): Promise<void> {
    for (const thing of things) await this.attempt(change(thing))
    this.endTrying()
  }

  /** Makes a change; a dry run keeps what it would have done, to be told with what follows. */
  protected async attempt<R>(change: Promise<R>): Promise<R | undefined> {
    try {
      return await change
    } catch (error) {
      if (!(error instanceof Tried)) throw error
      this.outcomes.push(error.outcome)
      return undefined
    }
  }

  /** Ends a dry run with all that was kept. */
  protected endTrying(): void {
    const last = this.outcomes.pop()
    if (last) throw new Tried(last)
  }

  /** In a dry run: told of a file of this machine instead of writing it. */
  protected get trying(): Trying | undefined {
    return this.dry ? tryHere : undefined
  }

  /** Asks before something that cannot be undone; never in a dry run. */
  protected async confirm(question: string): Promise<void> {
    if (!this.dry) await confirm(question, (this.flags as { yes?: boolean }).yes === true)
  }

  /** Asks for the name of what is deleted with all that it holds. */
  protected async confirmName(question: string, name: string): Promise<void> {
    const { confirm: given, yes } = this.flags as { confirm?: string; yes?: boolean }
    if (this.dry) return
    if (given === undefined && yes)
      this.out.note(`--yes is deprecated here. Next time: --confirm ${shellWord(name)}`, 'yellow')
    else await confirmName(question, name, given)
  }

  private get unchanged(): boolean {
    return this.changes.length > 0 && this.changes.every((unchanged) => unchanged)
  }

  private async alreadySo(): Promise<string | undefined> {
    if (!this.unchanged) return undefined
    const { already, filled } = await import('./outcomes.ts')
    const own = already[this.id ?? '']
    return own === null ? undefined : (filled(own, this.args) ?? 'Nothing has changed: it was so already.')
  }

  /** Says after a change what may be typed next, and by the exit code, if asked for, that it changed nothing. */
  protected override async finally(error: Error | undefined): Promise<void> {
    if (error || !this.changes.length) return
    const asked = (this.flags as ChangeFlags)['error-unchanged'] === true
    if (this.unchanged && asked && !process.exitCode) this.finish(exits.unchanged)
    if (process.stderr.isTTY !== true || machine(this.out.wanted)) return
    const { commandLine, next } = await import('./outcomes.ts')
    const line = commandLine(this.upNext ?? next[this.id ?? ''], { ...this.flags, ...this.args, name: this.out.made })
    if (line) this.out.note(`Next: ${line}`, 'dim')
  }

  private async showTried(outcomes: readonly Outcome[]): Promise<void> {
    const { showTried } = await import('./changing.ts')
    await showTried(this.out, outcomes)
    const nothing = outcomes.every(({ unchanged }) => unchanged)
    if (nothing && (this.flags as ChangeFlags)['error-unchanged']) this.finish(exits.unchanged)
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
    if (error instanceof Tried) return this.showTried([...this.outcomes, error.outcome])
    const failure = this.explained(error)
    report({ ...failure, ...(await docsOf(failure, this.registry)) }, this.out?.wanted ?? guess(this.argv))
    if (this.flags?.verbose && failure.exit === 1 && error.stack) process.stderr.write(`${error.stack}\n`)
    process.exitCode = failure.exit
  }

  /** What went wrong, and what to type next. */
  protected explained(error: unknown) {
    const { session } = this.found
    const named = (this.args as Words | undefined)?.['workspace']
    return explain(error, {
      command: (this.id ?? '').replaceAll(':', ' '),
      shape: this.ctor,
      speaksOfRequests: this.speaksOfRequests,
      known: this.registry,
      next: (this.ctor as typeof ApiCommand).next,
      local: session !== undefined && isLocal(session),
      hasToken: Boolean(session?.token),
      workspace: typeof named === 'string' ? named : session?.workspace,
    })
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
