import { type Client, ProblemError } from '#client'
import { sendOnce } from './send-once.ts'

type Draft = Parameters<typeof sendOnce>[2]

/**
 * Sends a message. To an agent that waits for an answer in this chat it is that answer, unless `sure` is null or
 * throws. It is told what the agent asks.
 */
export async function sendOrAnswer(
  api: Client,
  chatId: string,
  draft: Draft,
  sure: ((question: string) => Promise<void>) | null,
): Promise<Awaited<ReturnType<typeof sendOnce>> & { answers?: string }> {
  try {
    return await sendOnce(api, chatId, draft)
  } catch (error) {
    const waits = sure && waiting(error)
    const item = waits && (await api.inbox.show({ itemId: waits.item }).catch(() => null))
    if (!sure || !waits || !item) throw error
    await sure(item.title)
    const { receipt } = await api.inbox.act({ itemId: waits.item, body: { action: 'answer', input: draft.content } })
    return { message_id: receipt.comment_id ?? '', run_id: waits.run, answers: item.id }
  }
}

/** The run that waits, and for what, when that is why a message was refused. */
export function waiting(error: unknown): { run: string; item: string } | null {
  if (!(error instanceof ProblemError) || error.problem.code !== 'chat_busy') return null
  const { run_id, inbox_item_id } = error.problem as { run_id?: unknown; inbox_item_id?: unknown }
  return typeof run_id === 'string' && typeof inbox_item_id === 'string' ? { run: run_id, item: inbox_item_id } : null
}
