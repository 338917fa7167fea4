import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { text } from 'node:stream/consumers'
import { ProblemError } from '#client'
import type { HostAnswer, HostAsk, HostReply, HostVerb } from '#contract/host'
import { InputError } from '../input.ts'
import { daemonProgram } from '../paths.ts'
import { HostRefusal } from './refusal.ts'

/**
 * Has the daemon's own code do something on this machine's data, with no daemon running. The question travels over
 * standard input alone: what it holds is in no argument and no variable, where others could read it.
 */
export async function askHost<V extends HostVerb>(
  verb: V,
  question: Partial<HostAsk<V>>,
  config: string | undefined,
): Promise<HostReply<V>> {
  const program = daemonProgram()
  if (!existsSync(program))
    throw new InputError(`The daemon has not been built: ${program} is missing.`, 'npm ci && npm run build')
  const child = spawn(process.execPath, [program, 'admin', verb, ...(config ? ['--config', config] : [])], {
    stdio: ['pipe', 'pipe', 'pipe'],
    env: process.env,
  })
  const ended = new Promise<string>((resolve, reject) =>
    child.on('error', reject).on('close', (code, signal) => resolve(String(signal ?? code))),
  )
  // It may end before it has read its question, and says why.
  child.stdin.on('error', () => {})
  child.stdin.end(JSON.stringify(question))
  const [said, errors, end] = await Promise.all([text(child.stdout), text(child.stderr), ended])
  const answer = said.trimEnd() ? (JSON.parse(said) as HostAnswer<V>) : null
  if (!answer)
    throw new HostRefusal({
      code: 'failed',
      message: lastWords(errors) ?? `musterd ended with ${end} and said nothing`,
      next: 'muster doctor',
    })
  if ('refusal' in answer) throw new HostRefusal(answer.refusal)
  if ('problem' in answer) throw new ProblemError(answer.problem)
  return answer.reply
}

const lastWords = (errors: string): string | undefined => {
  const lines = errors.trimEnd().split('\n')
  return lines.findLast((line) => line.startsWith('musterd: '))?.slice('musterd: '.length) ?? lines.at(-1)
}
