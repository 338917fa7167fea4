import type { Command, Config } from '@oclif/core'
import type { Changing } from './changing.ts'
import { faultOfCommand } from './fault.ts'
import { InputError } from './input.ts'
import { hasUnicode, plainMarks } from './output/marks.ts'
import type { Members } from './output/members.ts'
import { flagsLast, type Known, type Request, resolve } from './resolve.ts'
import { applyUserSettings, readUserFile, type UserFile } from './user-settings.ts'

interface CommandClass {
  new (argv: string[], config: Config): { _run(): Promise<unknown> }
  id: string
  baseFlags: object
}

/** Everything that the build found in `cli/commands`. */
export interface Registry extends Known {
  version: string
  /** Where the pages of the documentation are: a folder of the package, or a URL. */
  docs: string
  root: string
  load: Readonly<Record<string, () => Promise<{ default: unknown }>>>
  unlisted: Readonly<Record<string, string>>
  /** What each listed command does. */
  summaries: Readonly<Record<string, string>>
  /** The commands that change something. */
  changing: Readonly<Record<string, Changing>>
  /** Flags, arguments and texts of a command; read from disk, so only for its help and for completion. */
  describe: (id: string) => Described
}

/** A command as oclif describes it, with the members of its JSON; null where it may be anything. */
export type Described = Command.Cached & { members: Members | null }

/** What the build writes of all commands, in oclif's form. */
export interface Manifest {
  commands: Record<string, Described>
}

/** Runs one command line. The exit code is left in `process.exitCode`. */
export async function main(argv: string[], registry: Registry): Promise<void> {
  process.stdout.on('error', outputFailed)
  process.on('uncaughtException', leave)
  if (!hasUnicode()) for (const stream of [process.stdout, process.stderr]) plainMarks(stream)
  if (argv.includes('--no-color')) process.env['NO_COLOR'] = '1'
  if (argv.includes('--no-input')) process.env['SVC_NO_INPUT'] = '1'
  if (argv[0] === '__complete') return (await import('./complete/answer.ts')).answer(argv.slice(1), registry)
  const request = resolve(argv, registry)
  if (request.kind === 'run') return begin(() => run(request, registry))
  if (request.kind === 'unknown') return begin((user) => ownOrUnknown(argv, request, registry, user))
  if (request.kind === 'version') return void process.stdout.write(`${userAgent(registry.version)}\n`)
  const { showHelp } = await import('./help/show.ts')
  return explained(() => showHelp(request, registry))
}

/** Does this with the settings that the user stored. */
const begin = (work: (user: UserFile) => Promise<void>): Promise<void> =>
  explained(() => {
    const user = readUserFile()
    applyUserSettings(user)
    return work(user)
  })

/** Does this, and explains what is wrong with the user's files. */
async function explained(work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (error) {
    if (!(error instanceof InputError)) throw error
    const { reportInput } = await import('./report.ts')
    reportInput(error)
  }
}

/** A word that is no command may be an alias of the user's, or a program on the PATH. */
async function ownOrUnknown(
  argv: readonly string[],
  unknown: Request & { kind: 'unknown' },
  registry: Registry,
  { aliases }: UserFile,
): Promise<void> {
  const [name = '', ...args] = flagsLast(argv, registry.valued)
  if (Object.hasOwn(aliases, name)) {
    const { expandAlias } = await import('./alias.ts')
    const meant = resolve(expandAlias(aliases[name]!, args), registry)
    if (meant.kind === 'run') return run(meant, registry)
    throw new InputError(`The alias "${name}" stands for "${aliases[name]}", which is no command.`, 'muster alias list')
  }
  const { extension, runExtension } = await import('./extensions.ts')
  const program = extension(name)
  if (program) {
    process.exitCode = await runExtension(program, args)
    return
  }
  const { showUnknown } = await import('./help/show.ts')
  showUnknown(unknown, registry)
}

async function run({ id, argv }: Request & { kind: 'run' }, registry: Registry): Promise<void> {
  const loaded = (await registry.load[id]!()).default as CommandClass
  loaded.id = id
  const changing = registry.changing[id]
  if (changing) (await import('./changing.ts')).addFlags(loaded, changing)
  await new loaded(argv, configOf(registry))._run()
}

/** The name that the program gives itself: `muster/0.1.0 linux-x64 node-v20.20.2`. */
export const userAgent = (version: string): string =>
  `muster/${version} ${process.platform}-${process.arch} node-${process.version}`

/**
 * What commands and help ask of oclif's configuration. Loading the real one reads package files and discovers plugins,
 * of which there are none here.
 */
export function configOf(registry: Registry): Config {
  const { version, ids } = registry
  const pjson = { name: 'muster', version, oclif: { bin: 'muster', topicSeparator: ' ' } }
  const variable = (name: string) => `MUSTER_${name}`
  const config = {
    registry,
    bin: 'muster',
    name: 'muster',
    version,
    pjson,
    root: registry.root,
    topicSeparator: ' ',
    userAgent: userAgent(version),
    plugins: new Map(),
    commandIDs: ids,
    findCommand: () => undefined,
    runHook: async () => ({ successes: [], failures: [] }),
    scopedEnvVar: (name: string) => process.env[variable(name)],
    scopedEnvVarKey: variable,
    scopedEnvVarKeys: (name: string) => [variable(name)],
    scopedEnvVarTrue: () => false,
  }
  return config as unknown as Config
}

/** A reader that went away, as `head` does, ends the program without a word. Another file may be on a full disk. */
function outputFailed(error: NodeJS.ErrnoException): void {
  if (error.code === 'EPIPE') leave(error)
  const reason = error.message.replace(/^[A-Z0-9]+: |, write$/g, '')
  process.stderr.write(`Error: The output cannot be written: ${reason}\n`)
  process.exit(1)
}

/** What nobody caught is a fault of ours, unless a reader went away. */
function leave(error: NodeJS.ErrnoException): void {
  if (error.code === 'EPIPE') process.exit(process.exitCode ?? 0)
  process.stderr.write(`Error: ${error.stack ?? error}\n  ${faultOfCommand}\n`)
  process.exit(1)
}
