import type { Client } from '#client'
import { Tried } from '../changing.ts'
import type { Answers, FormOfAgent } from './forms.ts'

export type Preview = Awaited<ReturnType<Client['agents']['askPreview']>>

export interface Filled {
  values: Answers
  attachments: readonly string[]
  chatId: string | undefined
}

/** The message that answers make. It changes nothing, so that a dry run knows it too. */
export async function preview(api: Client, { agentId, form }: FormOfAgent, filled: Filled): Promise<Preview> {
  const { values, attachments, chatId } = filled
  try {
    return await api.agents.askPreview({
      agentId,
      formId: form.id,
      body: {
        values,
        ...(attachments.length && { attachments: [...attachments] }),
        ...(chatId && { chat_id: chatId }),
      },
    })
  } catch (error) {
    if (!(error instanceof Tried && 'body' in error.outcome.answer)) throw error
    return error.outcome.answer.body as Preview
  }
}
