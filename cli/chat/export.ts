import type { Client } from '#client'
import { windowed } from '../flags.ts'
import { whereIAm } from '../inbox/here.ts'
import { literal, quotation } from '../markdown/quotation.ts'
import { clean, cleanLine } from '../output/clean.ts'
import { reactionsLine } from '../views/chat-people.ts'
import type { Said } from './stored.ts'

/** A whole chat: all that its people and its agent said. */
export interface Exported {
  format: 'muster-chat-1'
  chat_id: string
  /** Null when it is not known any more. */
  title: string | null
  /** Null when it was deleted, or nothing was said yet. */
  agent: { id: string; slug: string; name: string } | null
  participants: Awaited<ReturnType<Client['chats']['participants']>>['participants']
  /** Whoever said something, and is still a member of the workspace. */
  people: { user_id: string; email: string; full_name: string | null }[]
  attachments: { filename: string; size_bytes: number; path: string; created_at: string }[]
  messages: Said[]
}

/** `workspace`: slug or id of the one that is in use. */
export async function exportChat(api: Client, chatId: string, workspace: string | undefined): Promise<Exported> {
  // An unknown chat has no messages, and no people either.
  const { participants } = await api.chats.participants({ chatId })
  const page = async (query: { offset?: number; limit?: number }) =>
    (await api.chats.messages({ chatId, query: { offset: 0, ...query } })).messages
  const messages = await windowed({ all: true }, page)
  const people = await authorsOf(api, messages, workspace)
  const agentId = messages.find(({ agent_id }) => agent_id)?.agent_id
  const about = agentId === undefined ? nobody : await aboutAgent(api, agentId, chatId)
  return { format: 'muster-chat-1', chat_id: chatId, ...about, participants, people, messages }
}

/** Nobody, when no workspace is in use: a chat is read without one. */
async function authorsOf(api: Client, messages: Said[], workspace: string | undefined): Promise<Exported['people']> {
  const here = await whereIAm(api, workspace).catch(() => null)
  if (!here) return []
  const authors = new Set(messages.map(({ author_user_id }) => author_user_id))
  const page = (query: { offset?: number; limit?: number }) =>
    api.members.list({ workspaceId: here.workspaceId, query })
  const members = await windowed({ all: true }, page)
  return members
    .filter(({ user }) => authors.has(user.id))
    .map(({ user: { id, email, full_name } }) => ({ user_id: id, email, full_name }))
}

const nobody = { title: null, agent: null, attachments: [] }

/** What a chat has of its agent; nothing once that is deleted. */
async function aboutAgent(
  api: Client,
  agentId: string,
  chatId: string,
): Promise<Pick<Exported, 'title' | 'agent' | 'attachments'>> {
  const agent = await api.agents.show({ agentId }).catch(() => null)
  if (!agent) return nobody
  const [chats, files] = await Promise.all([
    api.chats.list({ agentId, query: {} }),
    api.attachments.list({ agentId, chatId }),
  ])
  const attachments = files.map(({ filename, size_bytes, path, created_at }) => ({
    filename,
    size_bytes,
    path,
    created_at,
  }))
  const { id, slug, name } = agent
  return { title: chats.find((it) => it.id === chatId)?.title ?? null, agent: { id, slug, name }, attachments }
}

type Names = ReadonlyMap<string, string>

const named = (text: string): string => literal(cleanLine(text))

/** A chat to be read: each message as a quotation below its heading, and tools that were called by name. */
export function markdownOf({ chat_id, title, agent, participants, people, attachments, messages }: Exported): string {
  const known = [...people, ...participants].map((it): [string, string] => [
    it.user_id,
    named(it.full_name ?? it.email ?? it.user_id),
  ])
  const names = new Map(known)
  const speaks = agent && named(agent.name)
  const files = attachments.map((it) => `- ${named(it.filename)}, ${it.size_bytes} bytes, ${named(it.path)}`)
  const head = [
    `# ${named(title ?? `Chat ${chat_id}`)}`,
    `Chat ${chat_id}${speaks ? ` with the agent ${speaks} (${agent.slug})` : ''}.`,
    participants.length ? `People: ${participants.map(({ user_id }) => names.get(user_id)).join(', ')}.` : '',
    files.length ? `Attachments:\n\n${files.join('\n')}` : '',
  ]
  const blocks = [...head.filter(Boolean), ...messages.map((it) => section(it, names, speaks))]
  return `${clean(blocks.join('\n\n'))}\n`
}

const quoted = (content: string): string => {
  const text = clean(content).trim()
  return text && quotation(text)
}

function section({ role, author_user_id, ts, content, parts, reactions }: Said, names: Names, agent: string | null) {
  const who = (author_user_id && names.get(author_user_id)) || (role === 'assistant' && agent) || role
  const tools = (parts ?? [])
    .filter(({ type }) => type === 'tool_call')
    .map(({ tool_name }) => `- ${named(tool_name ?? '')}`)
  const blocks = [`## ${who}, ${ts}`, quoted(content), tools.length ? `Tools:\n\n${tools.join('\n')}` : '']
  return [...blocks, reactions ? reactionsLine(reactions) : ''].filter(Boolean).join('\n\n')
}
