import type { RunSource } from '#kernel/runs'
import { chatSaid, promptOf } from './messages/service.ts'

/** Runs that answer a message of a chat: `source_id` is the message. */
export const chatSource: RunSource = { prompt: (app, run) => promptOf(app, run, ({ content }) => content), ...chatSaid }
