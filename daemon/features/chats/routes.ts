import { chats } from '#contract/chats'
import { credentialOf } from '#kernel/auth/authenticator'
import { feature } from '#kernel/feature'
import { problem } from '#kernel/problem'
import { serveRunStream } from '../../streams/ndjson.ts'
import { sweepOldSessions } from './jobs.ts'
import {
  createChat,
  enterChat,
  listChats,
  listMessages,
  readChat,
  removeChat,
  renameChat,
  wishChatCancel,
  workspaceOfChat,
} from './service.ts'
import { forgetAgent, forgetCrew } from './sessions/service.ts'
import { chatSource } from './source.ts'
import { sendMessage } from './speaking/service.ts'
import { afterNote, afterRun, queueUntold, steer } from './steering/service.ts'

const ended = { writes: ['run.started', 'agent.status_change'], run: afterRun } as const

export default feature(
  chats,
  (app) => ({
    list: (call) => listChats(app, call),
    create: (call) => createChat(app, call),
    rename: (call) => renameChat(app, call),
    read: (call) => readChat(app, call),
    remove: (call) => removeChat(app, call),
    messages: (call) => listMessages(app, call),
    send: (call) => sendMessage(app, call),
    steer: (call) => steer(app, call),
    cancel: (call) => ({ chat_id: call.chatId, run_id: wishChatCancel(app, call) }),
    stream: ({ actor, chatId, query, web }) => {
      if (!enterChat(app, actor, chatId)) throw problem('not_found', { detail: 'There is no such chat' })
      if (!app.runs.available) throw problem('unavailable', { detail: 'This server runs no agents' })
      const credential = credentialOf(actor)
      const allowed = () =>
        (credential === null || app.auth.holds(credential)) && enterChat(app, actor, chatId) !== null
      const lastSeq = query.last_seq ?? lastEventId(web.request.headers['last-event-id'])
      serveRunStream(app, app.runs, web, {
        chatId,
        lastSeq,
        user: actor.id,
        follow: query.follow ?? false,
        idle: query.idle ?? 0,
        allowed,
      })
    },
  }),
  {
    sources: { chat: chatSource },
    channels: { session: workspaceOfChat },
    jobs: [sweepOldSessions],
    on: {
      // Their folders go with all others.
      'agent.deleted': (app, { payload }) => forgetAgent(app, payload.entity_id),
      'crew.deleted': (app, { payload }) => forgetCrew(app, payload.entity_id),
      'run.completed': ended,
      'run.failed': ended,
      'run.timeout': ended,
      'run.cancelled': queueUntold,
      'run.resumed': queueUntold,
      'run.note_taken': afterNote,
    },
  },
)

/** The header is another name for `last_seq`. */
function lastEventId(header: string | string[] | undefined): number {
  if (header === undefined || header === '') return 0
  const number = Number(header)
  if (Number.isSafeInteger(number) && number >= 0) return number
  throw problem('invalid_field', { field: 'last_seq', detail: 'Last-Event-ID must be a whole number' })
}
