import type { Static } from 'typebox'
import type { MessagePart } from '#contract/chats'
import type { App } from '#kernel/app'
import type { RunSource } from '#kernel/runs'
import type { Run } from '../queries.ts'
import { queries, type RunMessageRow } from './queries.ts'
import { lastWords } from './rules.ts'

/** Stores the messages of runs without a chat, for sources that have no storage of their own. */
export const ownMessages: Pick<RunSource, 'keep' | 'kept'> = {
  keep: (app, { id, agent_id }, { role, content, parts, toolSummary, metadata }) =>
    void queries(app.db).insert.run({
      run_id: id,
      agent_id,
      role,
      content,
      parts_json: parts?.length ? JSON.stringify(parts) : null,
      tool_summary: toolSummary ?? null,
      metadata_json: metadata && Object.keys(metadata).length ? JSON.stringify(metadata) : null,
      ts: new Date(app.clock()).toISOString(),
    }),
  kept: (app, { id }) => queries(app.db).ofRun.all(id).map(toSaid),
}

const toSaid = ({ role, content, parts_json, tool_summary, metadata_json, ts }: RunMessageRow) => ({
  role,
  content,
  ts,
  toolSummary: tool_summary,
  ...(parts_json && { parts: JSON.parse(parts_json) as Static<typeof MessagePart>[] }),
  ...(metadata_json && { metadata: JSON.parse(metadata_json) as Record<string, unknown> }),
})

/** The source of a run that another version of Muster began: it has no prompt, and messages are kept. */
const unknownSource: RunSource = { prompt: () => null, ...ownMessages }

/** The source of a run. */
export const sourceOf = (app: App, { source }: Pick<Run, 'source'>): RunSource =>
  app.sources.get(source) ?? unknownSource

/** What an agent said last in a run, after its last use of a tool; empty when it said nothing. */
export const lastWordsOf = (app: App, run: Run): string => lastWords(sourceOf(app, run).kept(app, run))

/** Parts of an agent's messages in those runs without a chat that somebody may read, newest first. */
export function partsOutsideChats({ db }: App, agentId: string, limit: number, mayRead: (run: string) => boolean) {
  const known = new Map<string, boolean>()
  const isOpen = (run: string) => known.get(run) ?? known.set(run, mayRead(run)).get(run)!
  for (let asked = limit; ; asked *= 4) {
    const rows = queries(db).partsOfAgent.all(agentId, Math.min(asked, mostLooked))
    const open = rows.filter(({ run_id }) => isOpen(run_id))
    if (open.length < limit && rows.length === asked && asked < mostLooked) continue
    return open
      .slice(0, limit)
      .map(({ ts, role, part }) => ({ ts, role, part: JSON.parse(part) as Static<typeof MessagePart> }))
  }
}

/** Parts that are looked at for those that somebody may read. */
const mostLooked = 20_000
