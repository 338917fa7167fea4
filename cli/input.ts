import { existsSync, readFileSync } from 'node:fs'
import { cleanLine } from './output/clean.ts'
import { shellWord } from './output/shell-word.ts'

/** Invalid input; `next` is what to type instead. */
export class InputError extends Error {
  readonly next: string | undefined
  constructor(message: string, next?: string) {
    super(message)
    this.next = next
  }
}

/** True when both ends are terminals and the user lets commands ask: questions are only asked then. */
export const interactive = (): boolean =>
  process.stdin.isTTY === true && process.stderr.isTTY === true && !refusesQuestions()

const refusesQuestions = () => Boolean(process.env['SVC_NO_INPUT'])

// Questions go to stderr, so that `$(muster ...)` captures results alone.
const screen = (signal?: AbortSignal) => ({ output: process.stderr, ...(signal && { signal }) })

/** Why an answer cannot be used; undefined when it can. */
export type Flaw = (answer: string) => string | undefined

/** Asks for a line of text, again as long as it has a flaw. */
export async function ask(message: string, flawOf: Flaw = () => undefined, signal?: AbortSignal): Promise<string> {
  if (refusesQuestions()) throw new InputError(`${message}: ${notAsked()}`)
  const { input } = await import('@inquirer/prompts')
  return input({ message: cleanLine(message), validate: (answer) => flawOf(answer) ?? true }, screen(signal))
}

/** Refuses what no mail can be sent to. */
export const emailFlaw: Flaw = (answer) =>
  /^[^\s@]+@[^\s@]+$/.test(answer.trim()) ? undefined : 'Enter an address such as ada@example.com.'

/** Refuses an empty answer. */
export const emptyFlaw: Flaw = (answer) => (answer.trim() ? undefined : 'Enter at least one character.')

/** Asks to choose one of several, until the signal takes the question back. */
export async function choose<T>(
  message: string,
  choices: { name: string; value: T; description?: string }[],
  signal?: AbortSignal,
): Promise<T> {
  if (refusesQuestions()) throw new InputError(`${message}: ${notAsked()}`)
  const { select } = await import('@inquirer/prompts')
  const shown = choices.map((it) => ({
    ...it,
    name: cleanLine(it.name),
    ...(it.description !== undefined && { description: cleanLine(it.description) }),
  }))
  return select({ message: cleanLine(message), choices: shown }, screen(signal))
}

/** Asks to choose any of several. */
export async function chooseSeveral(
  message: string,
  choices: readonly string[],
  chosen: readonly string[],
): Promise<string[]> {
  if (refusesQuestions()) throw new InputError(`${message}: ${notAsked()}`)
  const { checkbox } = await import('@inquirer/prompts')
  const shown = choices.map((value) => ({ name: cleanLine(value), value, checked: chosen.includes(value) }))
  return checkbox({ message: cleanLine(message), choices: shown }, screen())
}

/** Asks before something that cannot be undone, unless `yes`. Without a terminal `yes` is the only way. */
export async function confirm(message: string, yes: boolean): Promise<void> {
  if (yes) return
  if (!interactive()) throw new InputError(`${message} ${notAsked()}`, 'repeat the command with --yes')
  const { confirm: really } = await import('@inquirer/prompts')
  if (!(await really({ message: cleanLine(message), default: false }, screen())))
    throw new Cancelled('Nothing was changed.')
}

/** Why nothing was asked. */
const notAsked = () =>
  refusesQuestions() ? 'Not asked, because of --no-input.' : 'Not asked, because this is not a terminal.'

/** Asks for the name of what is to be deleted, unless it was given. */
export async function confirmName(question: string, name: string, given?: string): Promise<void> {
  if (given === name) return
  if (given !== undefined) throw new InputError(`--confirm names "${given}", but this is "${name}".`)
  if (!interactive())
    throw new InputError(`${question} ${notAsked()}`, `repeat the command with --confirm ${shellWord(name)}`)
  if ((await ask(`${question} Type ${name} to go on`)).trim() !== name) throw new Cancelled('Nothing was changed.')
}

/** The user declined. */
export class Cancelled extends Error {}

/**
 * A secret: all of stdin when it is not a terminal, else typed unseen. One line break at the end is dropped. `piped`:
 * stdin was asked for.
 */
export async function secret(message: string, { piped = false } = {}): Promise<string> {
  if (piped && process.stdin.isTTY)
    throw new InputError(
      `${message}: standard input is a terminal.`,
      'give it with `... < file`, or leave the flag out to type it unseen',
    )
  if (process.stdin.isTTY && refusesQuestions())
    throw new InputError(`${message}: ${notAsked()}`, 'give it on standard input')
  const value = process.stdin.isTTY ? await hidden(message) : (await stdinText()).replace(/\r?\n$/, '')
  if (!value)
    throw new InputError(
      `${message}: nothing came on standard input.`,
      'give it on standard input, for example `... < file`',
    )
  return value
}

/**
 * A password that somebody chooses: typed unseen and twice, or on standard input. What the server could only refuse is
 * refused here.
 */
export async function newPassword(
  message: string,
  { piped = false, given }: { piped?: boolean; given?: string } = {},
): Promise<string> {
  if (given === undefined && !piped && interactive()) return chosenPassword(message)
  const password = given ?? (await secret(message, { piped }))
  const flaw = passwordFlaw(password)
  if (flaw) throw new InputError(flaw)
  return password
}

const passwordFlaw: Flaw = (password) => {
  if ([...password].length < 8) return 'The password needs at least 8 characters.'
  return Buffer.byteLength(password) > 72 ? 'The password may have at most 72 bytes.' : undefined
}

/** Typed twice, until both are the same. */
async function chosenPassword(message: string): Promise<string> {
  for (;;) {
    const password = await hidden(message, passwordFlaw)
    if ((await hidden(`${message} again`)) === password) return password
    process.stderr.write('The passwords differ. Enter both again.\n')
  }
}

async function hidden(message: string, flawOf: Flaw = () => undefined): Promise<string> {
  const { password } = await import('@inquirer/prompts')
  const validate = (answer: string) => flawOf(answer) ?? true
  return password({ message: cleanLine(message), mask: '*', validate }, screen())
}

/** Everything on standard input. */
export async function stdinBytes(): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of process.stdin) chunks.push(Buffer.from(chunk))
  return Buffer.concat(chunks)
}

/** Everything on standard input, as text. */
export const stdinText = async (): Promise<string> => (await stdinBytes()).toString('utf8')

/** What a file of this machine holds. */
export function fileBytes(path: string): Buffer {
  try {
    return readFileSync(path)
  } catch (error) {
    throw new InputError(`${path} cannot be read: ${(error as Error).message}`)
  }
}

/** The text, or what the file holds that is named after an `@`. */
export const fileOr = (text: string): string =>
  text.startsWith('@') ? fileBytes(text.slice(1)).toString('utf8') : text

const mention = /^@[a-z0-9][a-z0-9_-]*(?![\p{L}\p{N}_@/-]|\.[\p{L}\p{N}])/iu

/** What somebody says, of `-` standard input; an `@` that no file is named after mentions an agent. */
export const words = async (text: string): Promise<string> =>
  text === '-' ? stdinText() : mention.test(text) && !existsSync(text.slice(1)) ? text : fileOr(text)

/** What a flag says in JSON. */
export function jsonIn(flag: string, text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new InputError(`--${flag} is no JSON: ${(error as Error).message}`)
  }
}
