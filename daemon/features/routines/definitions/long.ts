import { parse, YAMLParseError } from 'yaml'
import type { App } from '#kernel/app'
import type { OpenJobs } from '#kernel/store/reads'
import { expression, expressionFlaws, type Language, takesLong, type Written } from './expressions.ts'
import type { Flaw } from './rules.ts'

/** What is wrong with a definition whose aliases lead back to it. */
export const containsItself = 'A definition must not contain itself'

type Read = { value: unknown } | { flaw: string }

/** A definition as its text has it. */
function textRead(text: string): Read {
  try {
    return { value: fromJson(text) ?? parse(text, { maxAliasCount: 100 }) }
  } catch (error) {
    const line = error instanceof YAMLParseError ? error.linePos?.[0].line : undefined
    const [said = ''] = (error as Error).message.split('\n')
    return { flaw: `The definition cannot be read${line ? ` at line ${line}` : ''}: ${said}` }
  }
}

/** JSON is YAML, and is read a hundred times as fast when it is read as JSON. Undefined for what is none. */
function fromJson(text: string): unknown {
  if (!text.trimStart().startsWith('{')) return undefined
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

interface Reckoning {
  text: string
  language: Language | undefined
  values: Readonly<Record<string, unknown>>
}

type Answer = { value: unknown } | { error: string }

function reckoned({ text, language, values }: Reckoning): Answer {
  try {
    return { value: expression(text, language)(values) }
  } catch (error) {
    return { error: (error as Error).message }
  }
}

function inText(read: Read): string {
  try {
    return JSON.stringify(read)
  } catch {
    return JSON.stringify({ flaw: containsItself })
  }
}

/** Reading long definitions, and reckoning with long expressions, for the thread that does long work. */
export const openExpressionJobs: OpenJobs = () => ({
  run: {
    definition: (text: string) => inText(textRead(text)),
    expressionFlaws: (list: readonly Written[]) => JSON.stringify(expressionFlaws(list)),
    reckon: (it: Reckoning) => JSON.stringify(reckoned(it)),
  },
  grown: () => false,
})

/** Reads a definition that came as text, in JSON or YAML; a long one holds nobody up. */
export const readText = async (app: App, text: string): Promise<Read> =>
  takesLong([text]) ? (JSON.parse(await app.reads.run('scan', 'definition', text)) as Read) : textRead(text)

/** What is wrong with the expressions of a definition; long ones hold nobody up. */
export const flawsOfExpressions = async (app: App, list: readonly Written[]): Promise<Flaw[]> =>
  takesLong(list.map(({ text }) => text))
    ? (JSON.parse(await app.reads.run('scan', 'expressionFlaws', list)) as Flaw[])
    : expressionFlaws(list)

const last = new WeakMap<App, Promise<unknown>>()

/** What a long expression comes to, one after the other: other work of that thread comes in between. Throws why not. */
export async function reckonLong(app: App, it: Reckoning): Promise<unknown> {
  const answer = (last.get(app) ?? Promise.resolve()).then(() => app.reads.run('scan', 'reckon', it))
  last.set(
    app,
    answer.catch(() => undefined),
  )
  const found = JSON.parse(await answer) as Answer
  if ('error' in found) throw new Error(found.error)
  return found.value ?? null
}
