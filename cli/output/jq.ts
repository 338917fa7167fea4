/** An expression that jq refused; the message is jq's own. */
export class JqFailure extends Error {}

/** Refuses an expression that cannot be read, before anything is done whose result it should filter. */
export async function checkJq(expression: string): Promise<void> {
  const { raw } = await import('jq-wasm')
  const { stderr, exitCode } = await raw('null', `empty | (${expression}\n)`)
  if (exitCode !== 0) throw new JqFailure(stderr.trim().split('\n')[0] || `jq ended with ${exitCode}`)
}

/** Runs a jq expression over a value: strings come out raw, everything else as compact JSON, one per line. */
export async function jq(value: unknown, expression: string): Promise<string> {
  const { raw } = await import('jq-wasm')
  const { stdout, stderr, exitCode } = await raw(JSON.stringify(value ?? null), expression, ['-r', '-c'])
  if (exitCode !== 0) throw new JqFailure(stderr.trim().split('\n')[0] || `jq ended with ${exitCode}`)
  return stdout === '' || stdout.endsWith('\n') ? stdout : `${stdout}\n`
}
