import { envelopeOf, explain, type Failure } from './failure.ts'
import type { InputError } from './input.ts'
import type { Registry } from './main.ts'
import { clean } from './output/clean.ts'
import { folded } from './output/fold.ts'
import { machine, type Wanted, wanted } from './output/format.ts'
import { compactJson } from './output/json.ts'
import { colored, painter } from './output/theme.ts'

/** The format of an error that occurs before the flags are parsed. */
export const guess = (argv: string[]): Wanted =>
  wanted({
    ...(/ (--(json|jq|template)\b|(-o|--output)[ =]?(json|ndjson|yaml)\b)/.test(` ${argv.join(' ')}`) && { json: '*' }),
  })

/** The page that explains a failure. */
export async function docsOf({ problem }: Failure, registry: Registry): Promise<Pick<Failure, 'docs'>> {
  const [{ pageOfProblem }, { linkTo }] = await Promise.all([import('./help/problems.ts'), import('./help/docs.ts')])
  const page = pageOfProblem(problem.code)
  return page === null ? {} : { docs: linkTo(page, registry) }
}

/** Reports wrong input that was found before a command began. */
export function reportInput(error: InputError): void {
  const failure = explain(error, { command: '', local: true, hasToken: false })
  report(failure, guess(process.argv))
  process.exitCode = failure.exit
}

/** Writes a failure to stderr, as JSON when a program reads the result. */
export function report(failure: Failure, form: Wanted): void {
  const { what, why, next, docs } = failure
  if (!what) return
  if (machine(form)) {
    process.stderr.write(`${compactJson(envelopeOf(failure))}\n`)
    return
  }
  const paint = painter(colored(process.stderr))
  const head = `${paint('red', 'Error:')} ${within(what, 'Error: '.length)}`
  const lines = [head, ...why.map((line) => `  ${within(line, 2)}`)]
  if (docs) lines.push(`${paint('dim', 'Docs:')} ${docs}`)
  if (next) lines.push(`${paint('dim', 'Next:')} ${clean(next).replaceAll('\n', '\n  ')}`)
  process.stderr.write(`${lines.join('\n')}\n`)
}

/** Text of several lines keeps to its place: a server's words at the beginning of a line could pass for ours. */
const within = (text: string, taken: number): string =>
  clean(text)
    .split('\n')
    .map((line, n) => folded(line, columnsOf(process.stderr), { indent: '  ', taken: n ? 2 : taken }))
    .join('\n  ')

/** Where text is folded: at a terminal's width, and nowhere else. */
const columnsOf = (stream: NodeJS.WriteStream): number => (stream.isTTY && stream.columns) || Number.POSITIVE_INFINITY
