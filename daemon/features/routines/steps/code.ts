import type { StepOf } from '#contract/routine-definition'
import { render, type Values } from '#kernel/templates'
import { expression, takesLong } from '../definitions/expressions.ts'
import { reckonLong } from '../definitions/long.ts'
import { citedSecrets, Refused, secretsFor, without } from './secrets.ts'
import { type Beginning, completed, failed, type Outcome } from './types.ts'

type Code = Omit<Beginning<StepOf<'code'>>, 'warn'>

/** A step that only reckons. A long expression is left for after the change: see `callCode`. */
export function beginCode(it: Code): Outcome {
  const { code, runtime } = it.step.code
  if (takesLong([code])) return { status: 'running', keeps: {} }
  const hidden: string[] = []
  try {
    return completed(without(expression(code, runtime)(valuesFor(it, hidden)), hidden))
  } catch (error) {
    return failure(error, hidden)
  }
}

/** Reckons with a long expression, outside of changes; it may be done again, since it has no effects. Never throws. */
export async function callCode(it: Code): Promise<Outcome> {
  const { code, runtime } = it.step.code
  const hidden: string[] = []
  try {
    const values = await it.app.write(() => valuesFor(it, hidden))
    return completed(without(await reckonLong(it.app, { text: code, language: runtime, values }), hidden))
  } catch (error) {
    return failure(error, hidden)
  }
}

/** What the expression may name; secrets among it are noted in `hidden`. */
function valuesFor(it: Code, hidden: string[]): Values {
  const { env = {} } = it.step.code
  const secrets = secretsFor(it, citedSecrets(env))
  hidden.push(...secrets.values())
  return { ...it.values, env: renderedAll(env, { ...it.values, secrets: Object.fromEntries(secrets) }) }
}

const failure = (error: unknown, hidden: readonly string[]): Outcome =>
  error instanceof Refused
    ? failed(error.message, true)
    : failed(without(`The expression failed: ${(error as Error).message}`, hidden))

const renderedAll = (texts: Readonly<Record<string, string>>, values: Values): Record<string, string> =>
  Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, render(text, values)]))
