import { fact } from '#contract/entries'
import type { SessionLoss } from '#contract/entries/chats'
import type { Usage } from '#contract/frames'
import type { App } from '#kernel/app'
import type { Run } from '../../runs/service.ts'
import type { MessageRow } from '../messages/service.ts'
import { queries, type SessionRow } from './queries.ts'

/** What a session belongs to. */
export type Client = Pick<SessionRow, 'adapter' | 'provider' | 'model'> & {
  /** Left out where the client takes new instructions in a session that it goes on with. */
  instructions?: string
}

/** A session that a turn can go on with. */
export interface Resumable {
  id: string
  folder: string
  /** What it used of the model service in all; null when that is not known. */
  used: Usage | null
  /** What was said in the chat since, oldest first. */
  unseen: MessageRow[]
}

/** More of a chat never fits into a prompt. */
const unseenLimit = 200

/**
 * The session that the client kept for the chat of a run. `lost` says why there is one that cannot be gone on with;
 * null when there is none. docs/rules/chats.md, "Sessions".
 */
export function sessionFor(app: App, run: Run, client: Client): Resumable | { lost: SessionLoss } | null {
  const row = run.chat_id === null ? undefined : queries(app.db).ofChat.get(run.chat_id)
  if (!row?.session_id || !row.known_message || !row.known_run) return null
  if (row.adapter !== client.adapter) return { lost: 'client_changed' }
  if (row.provider !== client.provider || row.model !== client.model) return { lost: 'model_changed' }
  if (row.instructions !== (client.instructions ?? null)) return { lost: 'instructions_changed' }
  if (row.crew_id !== run.crew_id || row.agent_id !== run.agent_id) return { lost: 'crew_changed' }
  if (queries(app.db).count.get(row.chat_id, row.known_message)!.count !== row.known_count)
    return { lost: 'history_changed' }
  const places = { chat: row.chat_id, after: row.known_message, before: run.source_id ?? '', run: row.known_run }
  return {
    id: row.session_id,
    folder: row.folder,
    used: row.used_json === null ? null : (JSON.parse(row.used_json) as Usage),
    unseen: queries(app.db)
      .between.all({ ...places, limit: unseenLimit })
      .reverse(),
  }
}

/** What others said in the chat of a run while it waited for a person, oldest first: its session does not know it. */
export function saidMeanwhile({ db }: App, { id, chat_id, source_id }: Run): MessageRow[] {
  const asked = chat_id && source_id ? queries(db).askedBefore.get(id, source_id) : undefined
  if (!asked) return []
  const places = { chat: chat_id!, after: asked.id, before: source_id!, run: id }
  return queries(db)
    .between.all({ ...places, limit: unseenLimit })
    .reverse()
}

/** Puts a new session on record, in place of the chat's former one, before its client is started. */
export function beginSession(app: App, run: Run & { chat_id: string }, folder: string, client: Client): void {
  const { chat_id, workspace_id, crew_id, agent_id } = run
  queries(app.db).leaveChat.run(chat_id)
  const instructions = client.instructions ?? null
  const about = { folder, chat_id, workspace_id, crew_id, agent_id }
  queries(app.db).insert.run({ ...client, ...about, instructions, used_at: app.clock() })
}

/** Records what a session knows now that a run of its chat was completed. */
export function completeSession(app: App, run: Run, session: { id: string; folder: string; used: Usage }): void {
  queries(app.db).know.run({
    folder: session.folder,
    session_id: session.id,
    known_run: run.id,
    known_message: run.source_id,
    used_json: JSON.stringify(session.used),
    used_at: app.clock(),
  })
}

/** Puts on record that a run's client begins anew, and why. */
export function loseSession(app: App, run: Run & { chat_id: string }, reason: SessionLoss): void {
  const { workspace_id, crew_id, agent_id, id, chat_id } = run
  queries(app.db).leaveChat.run(chat_id)
  const about = { workspace_id, crew_id, agent_id, trace_id: id, actor_type: 'orchestrator' } as const
  app.journal(fact('conversation.session_lost', { session_id: chat_id, reason }, about))
}

/** The sessions of a deleted chat, an agent or a crew are to be removed, or went with their folders. */
export const leaveSessions = ({ db }: App, chatId: string): void => void queries(db).leaveChat.run(chatId)
export const forgetAgent = ({ db }: App, agentId: string): void => void queries(db).removeOfAgent.run(agentId)
export const forgetCrew = ({ db }: App, crewId: string): void => void queries(db).removeOfCrew.run(crewId)

/** Sessions of a crew whose folders are to be removed. */
export const goneSessions = ({ db }: App, crewId: string): { folder: string; agent_id: string }[] =>
  queries(db).gone.all(crewId)

/** The crews in which folders of a chat's sessions are to be removed. */
export const crewsOfGone = ({ db }: App, chatId: string): string[] =>
  queries(db)
    .crewsOfGone.all(chatId)
    .map(({ crew_id }) => crew_id)

/** Forgets a session whose folder was removed. */
export const forgetSession = ({ db }: App, folder: string): void => void queries(db).remove.run(folder)

const keptFor = 30 * 86_400_000

/** Gives up the sessions of chats in which nobody has asked for 30 days: their folders take room. */
export const sweepSessions = (app: App): void => void queries(app.db).leaveOld.run(app.clock() - keptFor)
