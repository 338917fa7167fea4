import type { Static } from 'typebox'
import type { MessagePart } from '#contract/chats'
import { roomMessageLimit } from '#contract/rooms'
import type { App } from '#kernel/app'
import type { AnswerKeeper, Prompt, RunSource, Said, SourcedRun } from '#kernel/runs'
import { lastSaid, type MessageRow, messageById, type NamedRow, notify, saidIn, say } from './messages/service.ts'
import { isMember, membersOf, roomById } from './service.ts'

/** More of a room never fits into a prompt. */
const historyLimit = 200

const messageOf = (app: App, { source_id }: SourcedRun): NamedRow | undefined =>
  source_id === null ? undefined : messageById(app, source_id)

const nameOf = ({ author_name }: NamedRow): string => author_name ?? 'Somebody'

function prompt(app: App, run: SourcedRun): Prompt | null {
  const message = messageOf(app, run)
  const room = message && roomById(app, message.room_id)
  if (!message || !room) return null
  const { id, content, author_id } = message
  return {
    text: message.question === null ? asked(message, room.title) : answered(message, message.question),
    history: () => {
      const others = lastSaid(app, room.id, historyLimit).filter((it) => it.id !== id)
      return others.map((it) => remembered(it, run.agent_id))
    },
    shown: {
      type: 'user_message',
      content,
      metadata: { message_id: id, ...(author_id && { author_user_id: author_id }) },
    },
  }
}

const asked = (message: NamedRow, title: string | null): string =>
  [`${nameOf(message)} mentions you in the channel "${title}" and reads your answer there:`, '', message.content].join(
    '\n',
  )

const answered = (message: NamedRow, question: string): string =>
  [
    'You asked:',
    question,
    '',
    `${nameOf(message)} answers:`,
    message.content,
    '',
    'Go on from where you stopped to ask.',
  ].join('\n')

const remembered = (message: NamedRow, agent: string): { role: Said['role']; content: string } =>
  message.author_id === agent
    ? { role: 'assistant', content: message.content }
    : { role: 'user', content: `${nameOf(message)}: ${message.content}` }

/** What the agent says is said in the room; how the run ends, the room is told apart from this. */
function keep(app: App, run: SourcedRun, { role, content, parts, metadata }: Said): void {
  const message = messageOf(app, run)
  if (!message || role !== 'assistant') return
  const said = content.trim() ? ({ kind: 'message', content: cut(content) } as const) : silence(run)
  const author = { author_type: 'agent', author_id: run.agent_id, run_id: run.id } as const
  say(app, message.room_id, { ...said, ...author, parts_json: parts?.length ? JSON.stringify(parts) : null })
  if (metadata?.['status'] === 'PARKED')
    notify(app, message.room_id, `${run.agent_name} waits for an answer to its question in the inbox`)
}

/** A longer answer is cut; the log of the run has all of it. */
function cut(content: string): string {
  const characters = content.length <= roomMessageLimit ? [] : [...content]
  if (characters.length <= roomMessageLimit) return content
  return `${characters.slice(0, roomMessageLimit - cutMark.length).join('')}${cutMark}`
}

const cutMark = '\n\n(cut here; the log of the run has all of it)'

const silence = ({ agent_name }: SourcedRun) => ({ kind: 'notice', content: `${agent_name} said nothing` }) as const

const toSaid = ({ author_type, content, parts_json, created_at }: MessageRow): Said & { ts: string } => ({
  role: author_type === 'agent' ? 'assistant' : 'user',
  content,
  ts: created_at,
  ...(parts_json && { parts: JSON.parse(parts_json) as Static<typeof MessagePart>[] }),
})

const answers: AnswerKeeper = {
  askable(app, run) {
    const message = messageOf(app, run)
    const members = message ? membersOf(app, message.room_id) : []
    return members.sort((one, other) => Number(other === message?.author_id) - Number(one === message?.author_id))
  },
  thread: (app, run) => `room:${messageOf(app, run)?.room_id}`,
  keep(app, run, { by, question, text }) {
    const author = { author_type: 'user', author_id: by } as const
    return say(app, messageOf(app, run)!.room_id, {
      kind: 'message',
      ...author,
      content: text,
      question,
      run_id: run.id,
    }).id
  },
}

/** Runs that answer a message of a room: `source_id` is the message. Only members read what is said in them. */
export const roomSource: RunSource = {
  prompt,
  keep,
  kept: (app, { id }) => saidIn(app, id).map(toSaid),
  // People read it there; the agent knows it when it is mentioned the next time.
  hear(app, run, { text }) {
    const message = messageOf(app, run)
    const author = { author_type: 'agent', author_id: run.agent_id } as const
    if (message) say(app, message.room_id, { kind: 'message', content: cut(text), ...author })
    return null
  },
  mayRead(app, run, user) {
    const message = messageOf(app, run)
    return message !== undefined && isMember(app, message.room_id, user)
  },
  answers,
}
