import { fstatSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { replacePrivate } from '../files.ts'
import { stateDir } from '../paths.ts'

/** A list as it was shown: the noun of its command, and the ids of its rows. */
interface Shown {
  noun: string
  ids: string[]
}

const hours = 12
const kept = 10
const most = 1000

/** Remembers what a person sees in this terminal, so that rows can be called by their numbers. */
export function rememberList(noun: string, ids: string[], terminal = terminalKey()): void {
  if (terminal === undefined) return
  const others = listsOf(terminal).filter((it) => it.noun !== noun)
  const lists = [{ noun, ids: ids.slice(0, most) }, ...others].slice(0, kept)
  try {
    replacePrivate(fileOf(terminal), JSON.stringify(lists))
    forgetOld()
  } catch {
    // A list that is not remembered can still be read.
  }
}

/** The id of row `number` of the list of one of these nouns that was shown last in this terminal. */
export function rowShown(nouns: readonly string[], number: number, terminal = terminalKey()): string | undefined {
  return terminal === undefined
    ? undefined
    : listsOf(terminal).find(({ noun }) => nouns.includes(noun))?.ids[number - 1]
}

/** The ids shown lately in this terminal. */
export const idsShown = (nouns: readonly string[], terminal = terminalKey()): string[] =>
  terminal === undefined ? [] : listsOf(terminal).flatMap(({ noun, ids }) => (nouns.includes(noun) ? ids : []))

/** The terminal of this process, and the shell in it: both numbers are used again for others. */
export function terminalKey(): string | undefined {
  const fd = [process.stdout, process.stderr, process.stdin].findIndex(({ isTTY }) => isTTY)
  try {
    const { rdev } = fstatSync([1, 2, 0][fd] ?? -1)
    return rdev ? `${rdev}-${process.ppid}` : undefined
  } catch {
    return undefined
  }
}

const folder = () => join(stateDir(), 'lists')
const fileOf = (terminal: string) => join(folder(), `${terminal}.json`)
const isOld = (file: string) => Date.now() - statSync(file).mtimeMs > hours * 3_600_000

function listsOf(terminal: string): Shown[] {
  try {
    if (isOld(fileOf(terminal))) return []
    const lists = JSON.parse(readFileSync(fileOf(terminal), 'utf8')) as Shown[]
    return lists.filter(({ noun, ids }) => typeof noun === 'string' && Array.isArray(ids))
  } catch {
    return []
  }
}

function forgetOld(): void {
  for (const name of readdirSync(folder()))
    if (isOld(join(folder(), name))) rmSync(join(folder(), name), { force: true })
}
