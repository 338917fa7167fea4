import type { Client, Connection } from '#client'
import { carryOut } from '../decisions/choices.ts'
import { alerts, visible } from '../inbox/alerts.ts'
import { type Detail, send } from '../inbox/decisions.ts'
import { whereIAm } from '../inbox/here.ts'
import type { Unattended } from '../runs/unattended.ts'
import { offer } from './offer.ts'
import type { Answer, Sent, Turning } from './once.ts'
import { takeTurn } from './once.ts'
import { isOfAgent } from './questions.ts'

export interface AskedOptions {
  api: Client
  connection: Connection
  /** Slug or id of the workspace. */
  workspace: string | undefined
  agentId: string
  /** How long a decision can be taken back, in milliseconds. */
  undo: number
  /** Nothing else may be written to the terminal until `release`. */
  hold(): void
  release(): void
}

/** Offers escalations and approvals of the agent as they come. Ends by its signal alone. */
export async function offerAll(it: AskedOptions, signal: AbortSignal): Promise<void> {
  const here = await whereIAm(it.api, it.workspace)
  for await (const item of alerts(it.api, it.connection, { here, signal })) {
    if (item.kind === 'run_needs_human' || !isOfAgent(item, it.agentId)) continue
    const decision = await offered(it, item, signal)
    if (decision) await send(it.api, decision)
  }
}

/** Goes on with a run for as long as it waits for answers and gets them; `turning` is how its turns are watched. */
export async function answerOn(it: AskedOptions, first: Answer, turning: Omit<Turning, 'send'>): Promise<Answer> {
  let answer = first
  while (answer.inbox_item_id) {
    const item = await visible(it.api, answer.inbox_item_id)
    const decision = item?.decides && (await offered(it, item))
    if (!decision) return answer
    const { choice, text } = decision
    const carry = () => carryOut(it.api, item.decides!, choice, text) as Promise<{ receipt?: Resumed }>
    const send = async (): Promise<Sent> => {
      const { receipt } = await carry()
      return { runId: answer.run_id, messageId: receipt?.comment_id ?? '' }
    }
    answer = choice.text ? await takeTurn({ ...turning, send }) : await ended(it.api, answer, carry)
  }
  return answer
}

/** Denies what the run waits with, and whatever else it asked for. */
export async function denyRest(api: Client, unattended: Unattended, answer: Answer): Promise<Answer> {
  await unattended.deny(await api.runs.show({ runId: answer.run_id }))
  const item = answer.inbox_item_id
  return item !== undefined && unattended.has(item) ? ended(api, answer, async () => {}) : answer
}

interface Resumed {
  /** The message that holds the answer. */
  comment_id?: string
}

/** What was asked ends the run. */
async function ended(api: Client, answer: Answer, carry: () => Promise<unknown>): Promise<Answer> {
  await carry()
  const { inbox_item_id: _decided, ...rest } = answer
  return { ...rest, status: (await api.runs.show({ runId: answer.run_id })).status }
}

async function offered(it: AskedOptions, item: Detail, signal?: AbortSignal) {
  it.hold()
  try {
    return await offer(item, it.undo, signal)
  } finally {
    it.release()
  }
}
