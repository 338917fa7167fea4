/** An expression that jq refused; the message is jq's own. */
export class JqFailure extends Error {}

/** Runs a jq expression over a value: strings come out raw, everything else as compact JSON, one per line. */
export async function jq(value: unknown, expression: string): Promise<string> {
  const { raw } = await import('jq-wasm')
  const { stdout, stderr, exitCode } = await raw(JSON.stringify(value ?? null), expression, ['-r', '-c'])
  if (exitCode !== 0) throw new JqFailure(stderr.trim().split('\n')[0] || `jq ended with ${exitCode}`)
  return stdout === '' || stdout.endsWith('\n') ? stdout : `${stdout}\n`
}
