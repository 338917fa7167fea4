/** An expression that jq refused; the message is jq's own. */
export class JqFailure extends Error {}

/** The first of what jq said, without its position: the expression stands in a line of ours. */
const reasonOf = (said: string, exitCode: number): string =>
  said
    .trim()
    .split('\n')[0]!
    .replace(/^jq: error:? /, '')
    .replace(/ at <top-level>, line \d+(, column \d+)?:?$/, '') || `jq ended with ${exitCode}`

/** Refuses an expression that cannot be read, before anything is done whose result it should filter. */
export async function checkJq(expression: string): Promise<void> {
  const { raw } = await import('jq-wasm')
  const { stderr, exitCode } = await raw('null', `empty | (${expression}\n)`)
  if (exitCode !== 0) throw new JqFailure(reasonOf(stderr, exitCode))
}

/** Runs a jq expression over a value: strings come out raw, everything else as compact JSON, one per line. */
export async function jq(value: unknown, expression: string): Promise<string> {
  const { raw } = await import('jq-wasm')
  const { stdout, stderr, exitCode } = await raw(JSON.stringify(value ?? null), expression, ['-r', '-c'])
  if (exitCode !== 0) throw new JqFailure(reasonOf(stderr, exitCode))
  return stdout === '' || stdout.endsWith('\n') ? stdout : `${stdout}\n`
}
