import { distance } from './resolve.ts'
import { untried } from './untried.ts'
import { argumentsOf } from './usage.ts'

interface Argument {
  name: string
  required?: boolean | undefined
  options?: readonly string[]
}

/** What a command takes, as its class says. */
export interface Shape {
  flags?: Readonly<Record<string, object>>
  args?: Readonly<Record<string, Omit<Argument, 'name'>>>
  strict?: boolean
}

/** What oclif's parser throws. */
type Refusal = Error & { args?: unknown[]; flags?: string[] }

/** Says what is wrong with a command line that oclif refused. */
export function misuse(error: Refusal, command: string, shape: Shape): string {
  const args = Object.entries(shape.args ?? {}).map(([name, it]) => ({ name, ...it }))
  const usage = `Usage: muster ${[command, argumentsOf(args, shape.strict)].filter(Boolean).join(' ')}`
  const text = plain(error.message)
  if (/^Missing \d+ required arg/.test(text)) return `${missing(error, args)} Usage: ${usage.slice(7)}`
  if (text.startsWith('Unexpected argument')) return `"${String(error.args?.[0])}" is one word too many. ${usage}`
  if (text.startsWith('Nonexistent flag'))
    return unknownFlag(error.flags?.[0] ?? '', command, Object.keys(shape.flags ?? {}))
  const choice = /^Expected ([^-].*|) to be one of: (.*)$/s.exec(text)
  if (choice) return ofArgument(choice[1]!, choice[2]!, args)
  for (const [pattern, said] of rules) if (pattern.test(text)) return text.replace(pattern, said)
  return text
}

// biome-ignore-start format: one line each
const rules: readonly (readonly [RegExp, string])[] = [
  [/^Expected --(\S+?)=(.*) to be one of: (.*)$/s, '--$1 must be one of $3, not "$2".'],
  [/^Parsing --(\S+) \n\tExpected an integer but received: (.*)$/s, '--$1 must be a whole number, not "$2".'],
  [
    /^Parsing --(\S+) \n\tExpected an integer greater than or equal to (.*) but received: (.*)$/s,
    '--$1 must be at least $2, not $3.',
  ],
  [
    /^Parsing --(\S+) \n\tExpected an integer less than or equal to (.*) but received: (.*)$/s,
    '--$1 must be at most $2, not $3.',
  ],
  [/^Parsing --\S+ \n\t(--.*)$/s, '$1'],
  [/^Parsing --(\S+) \n\t(.*)$/s, '--$1: $2'],
  [/^Flag --(\S+) expects a value$/, '--$1 needs a value.'],
  [/^Flag --(\S+) expects one of these values: (.*)$/, '--$1 needs a value: one of $2.'],
  [/^Flag --(\S+) can only be specified once$/, '--$1 can be given only once.'],
  [/^The following errors? occurred:\s+Missing required flag (\S+)[\s\S]*$/, '--$1 is missing.'],
  [
    /^The following errors? occurred:\s+--([^\s=]+)\S* cannot also be provided when using --(\S+)[\s\S]*$/,
    '--$1 and --$2 exclude each other.',
  ],
  [
    /^The following errors? occurred:\s+All of the following must be provided when using --(\S+): (.*)[\s\S]*$/,
    '--$1 works only with $2.',
  ],
  [
    /^The following errors? occurred:\s+Exactly one of the following must be provided: (.*)[\s\S]*$/,
    'Give exactly one of $1.',
  ],
  [/^The following errors? occurred:\s+(.*)$/s, '$1'],
]
// biome-ignore-end format: one line each

/** oclif's message without colours and its hint to the help. */
const plain = (message: string) => message.replace(/\u001b\[\d+m/g, '').replace(/\s*See more help with --help$/, '')

function missing({ args: absent = [] }: Refusal, args: Argument[]): string {
  const names = (absent as Argument[]).map(({ name }) => name.toUpperCase())
  const all = names.length ? names : args.filter(({ required }) => required).map(({ name }) => name.toUpperCase())
  return `${all.join(' and ')} ${all.length === 1 ? 'is' : 'are'} missing.`
}

function unknownFlag(flag: string, command: string, known: readonly string[]): string {
  const reason = flag === '--dry-run' ? untried[command.replaceAll(' ', ':')] : undefined
  if (reason !== undefined) return `There is no dry run of muster ${command}: ${reason}.`
  const near = nearestFlag(flag, known)
  return `There is no flag ${flag}${near ? `; did you mean ${near}?` : '.'}`
}

/** The flag that was most likely meant. */
function nearestFlag(flag: string, known: readonly string[]): string | undefined {
  const name = flag.replace(/^--?/, '')
  const near = known.map((it) => ({ it, far: distance(it, name) })).sort((a, b) => a.far - b.far)[0]
  return near && near.far <= Math.max(1, name.length / 3) ? `--${near.it}` : undefined
}

function ofArgument(given: string, options: string, args: Argument[]): string {
  const name = args.find((it) => it.options?.join(', ') === options)?.name ?? 'value'
  return `${name.toUpperCase()} must be one of ${options}, not "${given}".`
}
