import { text } from 'node:stream/consumers'
import { ProblemError } from '#client'
import type { HostAnswer, HostAsk, HostReply, HostVerb } from '#contract/host'
import { askProgram } from './program.ts'
import { HostRefusal } from './refusal.ts'

/** Has the daemon's own code do something on this machine's data, with no daemon running. */
export async function askHost<V extends HostVerb>(
  verb: V,
  question: Partial<HostAsk<V>>,
  config: string | undefined,
): Promise<HostReply<V>> {
  const { output, ended } = askProgram(['admin', verb], question, config)
  const [said, silence] = await Promise.all([text(output), ended])
  const answer = said.trimEnd() ? (JSON.parse(said) as HostAnswer<V>) : null
  if (!answer) throw silence
  if ('refusal' in answer) throw new HostRefusal(answer.refusal)
  if ('problem' in answer) throw new ProblemError(answer.problem)
  return answer.reply
}
