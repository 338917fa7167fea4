import { type Client, ProblemError } from '#client'
import { InputError } from '../input.ts'
import { shellWord } from '../output/shell-word.ts'
import { type Choice, carryOut, type Decides } from './choices.ts'

interface Decided {
  sentence: string
  reply: object
}

interface Verdict {
  means: 'approve' | 'deny'
  comment?: string
}

/**
 * Approves or denies whatever an id stands for: something that waits for a decision, or its inbox item. What is not
 * known by an id may be the token of waiting work.
 */
export async function decide(
  api: Client,
  workspaceId: string,
  id: string,
  { means, comment }: Verdict,
): Promise<Decided> {
  const done = means === 'approve' ? 'Approved.' : 'Denied.'
  const decides = await wayOf(api, id)
  if (!decides) {
    const body = { approved: means === 'approve', ...(comment && { comment }) }
    return { sentence: done, reply: await api.waitpoints.approve({ workspaceId, token: id, body }) }
  }
  const choice = chosen(decides, means, id)
  if (comment && !choice.text) throw new InputError(`${choice.label} takes no --comment.`, 'repeat without --comment')
  const reply = await carryOut(api, decides, choice, comment)
  const after = 'note' in reply && typeof reply.note === 'string' ? reply.note : choice.effect
  return { sentence: after ? `${done} ${after}` : done, reply }
}

function chosen({ choices }: Decides, means: Verdict['means'], id: string): Choice {
  const found = choices.find((it) => it.means === means)
  if (found) return found
  const offered = choices.map(({ label }) => label).join(', ')
  throw new InputError(
    `There is nothing to ${means} here. It offers: ${offered}.`,
    `muster inbox show ${shellWord(id)}`,
  )
}

async function wayOf(api: Client, decisionId: string): Promise<Decides | null> {
  try {
    return (await api.decisions.show({ decisionId })).decides
  } catch (error) {
    if (error instanceof ProblemError && error.problem.code === 'not_found') return null
    throw error
  }
}
