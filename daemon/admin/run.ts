import { text } from 'node:stream/consumers'
import { type HostAnswer, type HostVerb, host } from '#contract/host'
import { type Config, ConfigError } from '#kernel/config'
import { validator } from '#kernel/http/validate'
import { Problem } from '#kernel/problem'
import { inPlace, Refusal } from './place.ts'
import { verbs } from './verbs.ts'

/** Answers one question of `muster admin`: JSON on standard input, JSON on standard output. True when it succeeded. */
export async function administrate(verb: string | undefined, config: Config): Promise<boolean> {
  if (verb === undefined || !Object.hasOwn(host, verb))
    throw new ConfigError(`musterd admin takes one of ${Object.keys(host).join(', ')}; muster admin asks it`)
  const answer = await answerTo(verb as HostVerb, config)
  await new Promise<void>((resolve) => process.stdout.write(`${JSON.stringify(answer)}\n`, () => resolve()))
  return 'reply' in answer
}

async function answerTo<V extends HostVerb>(verb: V, config: Config): Promise<HostAnswer<V>> {
  try {
    const asked = validator(host[verb].asks, 'body')(await question())
    if ('problem' in asked) throw asked.problem
    return { reply: await inPlace(config, (app) => verbs[verb](app, asked.value as never)) }
  } catch (error) {
    if (error instanceof Problem) return { problem: error.toBody(`admin ${verb}`) as never }
    if (error instanceof Refusal)
      return { refusal: { code: error.code, message: error.message, ...(error.next && { next: error.next }) } }
    throw error
  }
}

async function question(): Promise<unknown> {
  try {
    return JSON.parse(await text(process.stdin))
  } catch {
    throw new ConfigError('musterd admin reads a JSON document from standard input; muster admin writes it')
  }
}
