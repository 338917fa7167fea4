import { type StepOf, sharedFolder } from '#contract/routine-definition'
import type { BegunScript, Script, ScriptEnd } from '#kernel/scripts'
import { render, type Values } from '#kernel/templates'
import { citedSecrets, Refused, secretsFor, without } from './secrets.ts'
import { type Beginning, completed, failed, type Outcome } from './types.ts'
import { fromWords } from './values.ts'

type Step = StepOf<'script'>

const runSeconds = 300
/** Most bytes that a script may print. */
export const mostPrinted = 1_048_576
/** Most bytes of one variable or argument: programs cannot be given more. */
const mostOfOne = 100 * 1024
/** Most bytes of all variables and arguments. */
const mostOfAll = 1_000_000
/** What a failure tells of standard error. */
const shownError = 2000

const interpreters: Readonly<Record<string, string>> = {
  py: 'python3',
  js: 'node',
  mjs: 'node',
  cjs: 'node',
  bash: 'bash',
  pl: 'perl',
}

/** The program that runs a script, by the name of its file where the step names none. */
export const interpreterOf = ({ path, interpreter }: Step['script']): string =>
  interpreter ?? interpreters[/\.([a-z]+)$/.exec(path)?.[1] ?? ''] ?? 'sh'

/** A script begins once it stands in the database that it does. */
export const beginScript = ({ run }: Beginning<Step>): Outcome =>
  run.crew_id
    ? { status: 'running', keeps: { state_json: null } }
    : failed('The routine has no crew whose container could run it: save it with --crew', true)

/** A step whose script is to be run, after the change in which it began. */
type Call = Omit<Beginning<Step>, 'warn'>

interface Hooks {
  /** As the step keeps it; null for a script that is to begin. */
  begun: BegunScript | null
  begins(begun: BegunScript): Promise<boolean>
  ended(outcome: Outcome): Promise<void>
  cancelled: AbortSignal
  detached: AbortSignal
}

/** Runs the script of a step in the container of the routine's crew, or finds it again. */
export async function callScript(it: Call, { ended, ...hooks }: Hooks): Promise<void> {
  const { app, run, step } = it
  let secrets: string[] = []
  const clean = <T>(value: T): T =>
    without(app.scrub({ workspace_id: run.workspace_id, agent_id: '' }, [])(value), secrets)
  await app.scripts.carryOut({
    ...hooks,
    crewId: run.crew_id!,
    mostBytes: mostPrinted,
    async prepare() {
      const values = await app.write(() => secretsFor(it, citedSecrets(step.script.env)))
      secrets = [...values.values()]
      return scriptOf(it, values)
    },
    ended: (end) => ended(outcomeOf(step, end, clean)),
  })
}

function scriptOf({ run, step, values }: Call, secrets: ReadonlyMap<string, string>): Script {
  const { path, env = {}, args = [], sha256 } = step.script
  const inputs = JSON.parse(run.inputs_json) as Record<string, unknown>
  const all: Values = { ...values, secrets: Object.fromEntries(secrets) }
  const own = Object.entries(env).map(([name, text]) => [name, render(text, all)] as const)
  const given = args.map((text) => render(text, { ...values, env: Object.fromEntries(own) }))
  const long = own.find(([, value]) => !fits(value))?.[0]
  if (long) throw new Refused(`The variable ${long} is too long, or holds a character that no variable may hold`)
  if (!given.every(fits)) throw new Refused('An argument is too long, or holds a character that no argument may hold')
  const passed = Object.entries(inputs).flatMap(([name, value]) => {
    const text = typeof value === 'string' ? value : JSON.stringify(value)
    return /^\w+$/.test(name) && fits(text) ? [[`INPUT_${name.toUpperCase()}`, text] as const] : []
  })
  const size = [...own, ...passed, ...given.map((text) => ['', text] as const)].reduce(
    (sum, [name, value]) => sum + Buffer.byteLength(name) + Buffer.byteLength(value),
    0,
  )
  if (size > mostOfAll) throw new Refused(`The script is given ${size} bytes of variables, and ${mostOfAll} fit`)
  return {
    path: path.replace(`${sharedFolder}/`, ''),
    interpreter: interpreterOf(step.script),
    args: given,
    env: Object.fromEntries([...passed, ...own]),
    stdin: run.inputs_json,
    sha256,
    seconds: step.timeout_seconds ?? runSeconds,
  }
}

const fits = (text: string): boolean => Buffer.byteLength(text) <= mostOfOne && !text.includes('\0')

/** What the end of a script means to its step. */
function outcomeOf(step: Step, end: ScriptEnd, clean: <T>(value: T) => T): Outcome {
  switch (end.kind) {
    case 'exit':
      return end.code === 0
        ? completed(clean(fromWords(end.stdout.replace(/\r?\n$/, ''))))
        : failed(clean(`The script ended with ${end.code}${tail(end.stderr)}`))
    case 'signal':
      return failed(clean(`The script was ended by ${end.signal}${tail(end.stderr)}`))
    case 'too_late':
      return failed(`The script was not done after ${step.timeout_seconds ?? runSeconds} seconds`)
    case 'too_much':
      return failed(`The script printed more than ${mostPrinted} bytes`, true)
    case 'never':
      return failed(clean(`The script could not be run: ${end.reason}`))
    case 'lost':
      return failed(clean(`Whether the script took effect is not known: ${end.reason}`))
    case 'stopped':
      return failed(`The script was stopped: ${end.reason}`, true)
  }
}

const tail = (stderr: string): string => (stderr.trim() ? `: ${stderr.trim().slice(-shownError)}` : '')
