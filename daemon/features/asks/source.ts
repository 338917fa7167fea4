import type { RunSource } from '#kernel/runs'
import { chatSaid, type MessageRow, promptOf } from '../chats/messages/service.ts'

/** Runs that go on with a person's answer: `source_id` is the message that holds it. */
export const answerSource: RunSource = { prompt: (app, run) => promptOf(app, run, answered), ...chatSaid }

/** An answer with the question that it answers: the agent may have forgotten what it asked. */
function answered({ content, metadata_json }: MessageRow): string {
  const { answer_to } = (metadata_json ? JSON.parse(metadata_json) : {}) as {
    answer_to?: { question: string; by: string }
  }
  if (!answer_to) return content
  return [
    'You asked:',
    answer_to.question,
    '',
    `${answer_to.by} answers:`,
    content,
    '',
    'Go on from where you stopped to ask.',
  ].join('\n')
}
