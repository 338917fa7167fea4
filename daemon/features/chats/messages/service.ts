import { randomBytes } from 'node:crypto'
import type { Static } from 'typebox'
import type { Reaction } from '#contract/chat-people'
import type { Message, MessagePart } from '#contract/chats'
import { fact } from '#contract/entries'
import type { App } from '#kernel/app'
import { actorOf } from '#kernel/dispatch'
import type { Actor } from '#kernel/feature'
import type { Prompt, RunSource, SourcedRun } from '#kernel/runs'
import type { AgentRow } from '../../agents/service.ts'
import { indexMessage } from '../search/words.ts'
import { type MessageRow, queries } from './queries.ts'

export type { MessageRow } from './queries.ts'

export interface NewMessage {
  chatId: string
  agentId: string | null
  runId: string | null
  role: MessageRow['role']
  content: string
  parts?: Static<typeof MessagePart>[]
  toolSummary?: string | null
  metadata?: Record<string, unknown>
  authorUserId?: string | null
}

let lastNanos = 0n

/** `msg_<nanos>_<hex>`: ids made one after the other sort that way. */
function newMessageId(ms: number): string {
  const now = BigInt(Math.floor(ms)) * 1_000_000n
  lastNanos = now > lastNanos ? now : lastNanos + 1n
  return `msg_${lastNanos}_${randomBytes(4).toString('hex')}`
}

const titleLimit = 60

/** The beginning of what the user said, on one line. */
function titleOf(content: string): string | null {
  const line = [...content.replace(/[\s\p{C}]+/gu, ' ').trim()]
  if (line.length === 0) return null
  return line.length <= titleLimit ? line.join('') : `${line.slice(0, titleLimit).join('').trimEnd()}...`
}

/** Stores a message at the end of its chat; the first of a user names the chat. */
export function addMessage(app: App, message: NewMessage): { id: string; seq: number; ts: string } {
  const { chatId, role, content, parts, metadata } = message
  const id = newMessageId(app.clock())
  const ts = new Date(app.clock()).toISOString()
  const { seq } = queries(app.db).insert.get({
    id,
    chat_id: chatId,
    agent_id: message.agentId,
    role,
    content,
    parts_json: parts?.length ? JSON.stringify(parts) : null,
    tool_name: null,
    tool_summary: message.toolSummary ?? null,
    metadata_json: metadata && Object.keys(metadata).length ? JSON.stringify(metadata) : null,
    ts,
    author_user_id: message.authorUserId ?? null,
    run_id: message.runId,
  })!
  indexMessage(app, { id, chat_id: chatId, content, tool_summary: message.toolSummary ?? null })
  queries(app.db).touch.run(ts, role === 'user' ? titleOf(content) : null, chatId)
  return { id, seq, ts }
}

const shownLimit = 8 * 1024

/** Puts what a person said to an agent on record. */
export function journalUserMessage(
  app: App,
  actor: Actor,
  { runId, chatId }: { runId: string | null; chatId: string },
  agent: AgentRow,
  text: string,
): void {
  const content = Buffer.from(text).subarray(0, shownLimit).toString('utf8').replace(/�$/, '')
  const payload = {
    chat_id: chatId,
    agent_slug: agent.slug,
    content,
    length_chars: text.length,
    ...(content.length < text.length && { truncated: true as const }),
    ...(runId === null && { no_reply: true as const }),
  }
  const about = {
    workspace_id: agent.workspace_id,
    ...(agent.crew_id && { crew_id: agent.crew_id }),
    agent_id: agent.id,
    ...(runId !== null && { trace_id: runId }),
    ...actorOf(actor),
  }
  app.journal(fact('chat.user_message', payload, about))
}

/** More of a chat never fits into a prompt. */
const historyLimit = 200

/** What a message of a chat asks; `wordsOf` says it as the agent is told. */
export function promptOf(app: App, { source_id }: SourcedRun, wordsOf: (message: MessageRow) => string): Prompt | null {
  const message = source_id === null ? undefined : queries(app.db).find.get(source_id)
  if (!message) return null
  const { id, chat_id, seq, content, author_user_id } = message
  return {
    text: wordsOf(message),
    // Notes of failed runs are for people.
    history: () => messagesBefore(app, chat_id, seq, historyLimit).filter(({ role }) => role !== 'system'),
    shown: {
      type: 'user_message',
      content,
      metadata: { message_id: id, ...(author_user_id && { author_user_id }) },
    },
  }
}

/** What is said in a run of a chat is a message there. */
export const chatSaid: Pick<RunSource, 'keep' | 'kept' | 'hear'> = {
  keep: (app, { id, chat_id, agent_id }, said) =>
    void addMessage(app, { ...said, chatId: chat_id!, agentId: agent_id, runId: id }),
  kept: (app, { id }) => queries(app.db).ofRun.all(id).map(toSaid),
  hear: (app, { chat_id, agent_id }, { text, metadata, next }) => {
    const message = { chatId: chat_id!, agentId: agent_id, runId: next, role: 'user', content: text, metadata } as const
    return { source: 'chat', source_id: addMessage(app, message).id }
  },
}

const toSaid = ({ role, content, parts_json, tool_summary, metadata_json, ts }: MessageRow) => ({
  role,
  content,
  ts,
  toolSummary: tool_summary,
  ...(parts_json && { parts: JSON.parse(parts_json) as Static<typeof MessagePart>[] }),
  ...(metadata_json && { metadata: JSON.parse(metadata_json) as Record<string, unknown> }),
})

/** What was said before a message, oldest first, `limit` messages at most. */
const messagesBefore = ({ db }: App, chatId: string, seq: number, limit: number): MessageRow[] =>
  queries(db).before.all(chatId, seq, limit).reverse()

/** Messages after another one that a turn is to begin for, oldest first. */
export const queuedSince = ({ db }: App, chatId: string, messageId: string): MessageRow[] =>
  queries(db).queued.all(chatId, messageId)

/** Leaves a message that an agent was not told to its next turn. */
export const leaveQueued = ({ db }: App, id: string): MessageRow | undefined => queries(db).queue.get(id)

/** Records that an agent was told a message in a run, which the next turn then does not do again; false if it was. */
export const noteDelivered = ({ db }: App, told: { id: string; chat: string; run: string }): boolean =>
  queries(db).deliver.get(told) !== undefined

/** Makes a message the last of its chat, said in a run. */
export const moveToEnd = ({ db }: App, id: string, run: string): void => void queries(db).moveToEnd.run({ id, run })

/** A window of a chat from its oldest message on; without an offset its newest messages. Oldest first. */
export function messageWindow(
  { db }: App,
  { chatId, user, limit, offset }: { chatId: string; user: string; limit: number; offset: number | null },
): Static<typeof Message>[] {
  const rows =
    offset === null
      ? queries(db).before.all(chatId, Number.MAX_SAFE_INTEGER, limit).reverse()
      : queries(db).fromOldest.all(chatId, limit, offset)
  const ids = JSON.stringify(rows.map(({ id }) => id))
  const reactions = new Map<string, Static<typeof Reaction>[]>()
  for (const { message_id, mine, ...row } of queries(db).reactions.all({ chat: chatId, ids, user }))
    reactions.set(message_id, [...(reactions.get(message_id) ?? []), { ...row, mine: mine === 1 }])
  return rows.map((row) => {
    const found = reactions.get(row.id)
    return { ...toMessage(row), ...(found && { reactions: found }) }
  })
}

type Part = Static<typeof MessagePart>

function toMessage(row: MessageRow): Static<typeof Message> {
  const {
    id,
    chat_id,
    role,
    content,
    ts,
    agent_id,
    parts_json,
    tool_name,
    tool_summary,
    metadata_json,
    author_user_id,
  } = row
  return {
    id,
    session_id: chat_id,
    ...(agent_id && { agent_id }),
    role,
    content,
    ...(parts_json && {
      parts: (JSON.parse(parts_json) as Part[]).map((part) => ({ ...part, content: part.content ?? '' })),
    }),
    ...(tool_name && { tool_name }),
    ...(tool_summary && { tool_summary }),
    ...(metadata_json && { metadata: JSON.parse(metadata_json) as Record<string, unknown> }),
    ts,
    ...(author_user_id && { author_user_id }),
  }
}

/** Pieces of what an agent said and did, newest first. */
export const partsOfAgent = ({ db }: App, agentId: string, limit: number) =>
  queries(db)
    .partsOfAgent.all(agentId, limit)
    .map(({ ts, role, part }) => ({ ts, role, part: JSON.parse(part) as Static<typeof MessagePart> }))
