import { isNode, LineCounter, parseDocument } from 'yaml'
import { ProblemError } from '#client'
import { textOf } from '../bodies/missions.ts'
import { InputError } from '../input.ts'

/** The definition in a file, or on standard input, as text: errors can name its lines. */
export const definitionIn = async (file: string): Promise<string> => (await textOf(file === '-' ? '-' : `@${file}`))!

interface Flaw {
  path: string
  message: string
}

/** Does it; a definition that the server refuses is shown with the line of each error. */
export async function toldByLine<T>(file: string, text: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof ProblemError) || error.problem.code !== 'routine_invalid') throw error
    const flaws = (error.problem as unknown as { errors?: Flaw[] }).errors ?? []
    throw new InputError(
      flawsOf(file === '-' ? 'standard input' : file, text, flaws).join('\n'),
      'muster routines schema',
    )
  }
}

/** Each flaw behind its file and line, from the top: `nightly.yaml:12: steps[2].http.url is missing`. */
export function flawsOf(file: string, text: string, flaws: readonly Flaw[]): string[] {
  const lines = new LineCounter()
  const document = parseDocument(text, { lineCounter: lines })
  const lineOf = (path: string): number => {
    const names = path.split(/[.[\]]+/).filter(Boolean)
    for (let length = names.length; length >= 0; length--) {
      const at = names.slice(0, length).map((name) => (/^\d+$/.test(name) ? Number(name) : name))
      const node = document.getIn(at, true)
      if (isNode(node) && node.range) return lines.linePos(node.range[0]).line
    }
    return 1
  }
  return flaws
    .map(({ path, message }) => ({ line: lineOf(path), says: `${path ? `${path} ` : ''}${message}` }))
    .sort((one, other) => one.line - other.line)
    .map(({ line, says }) => `${file}:${line}: ${says}`)
}
