import type { Static } from 'typebox'
import type { activity, LogLine } from '#contract/activity'
import type { Reply } from '#contract/define'
import type { App } from '#kernel/app'
import { unchanged } from '#kernel/dispatch'
import type { Call } from '#kernel/feature'
import type { Page } from '#kernel/http/fields'
import { type AgentRow, findAgent } from '../agents/service.ts'
import { partsOfAgent } from '../chats/messages/service.ts'
import { mayRead } from '../runs/chains/service.ts'
import { partsOutsideChats } from '../runs/messages/service.ts'
import { findRun, historyOfAgent, runsOfAgent, wishCancel } from '../runs/service.ts'

type Line = Static<typeof LogLine>

/** How long a stop waits for what it ends. */
const patienceMs = 45_000

/** Requests the end of all runs of the agent and returns them. */
export function wishStop(app: App, call: Call<typeof activity.stop>): string[] {
  const { actor, agentId } = call
  const agent = findAgent(app, actor.workspace, agentId)
  const runs = runsOfAgent(app, agent.id).flatMap(({ id }) => (wishCancel(app, id, actor.id) ? [id] : []))
  if (!runs.length) unchanged(call)
  return runs
}

/** Waits until the runs are over, or until the time limit. */
export async function settleStop(
  app: App,
  { agentId }: Call<typeof activity.stop>,
  runs: string[],
): Promise<Reply<typeof activity.stop>> {
  const patience = new AbortController()
  const late = new Promise<'stopping'>((resolve) => {
    const timer = setTimeout(() => resolve('stopping'), patienceMs)
    patience.signal.addEventListener('abort', () => clearTimeout(timer))
  })
  const over = Promise.all(runs.map((id) => app.runs.ended(id)))
    .then(() => app.runs.endLeft(agentId))
    .then(
      () => 'stopped' as const,
      (error) => {
        app.log.warn({ err: error, agent: agentId }, 'What an agent left running could not be ended yet')
        return 'stopping' as const
      },
    )
  const status = await Promise.race([over, late])
  patience.abort()
  return { id: agentId, status }
}

function lineOf(agent: string, { ts, part }: ReturnType<typeof partsOfAgent>[number]): Line {
  const { type, content, tool_name, metadata } = part
  const level = type === 'error' ? 'error' : metadata?.['is_error'] === true ? 'warn' : 'info'
  return {
    ts,
    level,
    agent,
    event: type,
    ...(content && { content, message: content }),
    ...(tool_name && { tool: tool_name }),
    ...(metadata && { metadata }),
  }
}

/** Older activity is left to the journal. */
const logLimit = 10_000

/** What an agent did, latest first: its runs, and what it said and used in those that the reader may read. */
export function logLines(app: App, reader: string, { id, slug }: AgentRow, { limit, offset }: Page): Line[] {
  const count = Math.min(limit + offset, logLimit)
  const open = (run: string) => {
    const found = findRun(app, run)
    return found !== undefined && mayRead(app, found, reader)
  }
  const said = [...partsOfAgent(app, id, count), ...partsOutsideChats(app, id, count, open)]
    .sort((a, b) => (a.ts < b.ts ? 1 : a.ts > b.ts ? -1 : 0))
    .map((it) => lineOf(slug, it))
  const runs = historyOfAgent(app, id, count).map(({ at, event, run, tokens }): Line => {
    const level = event === 'run.failed' || event === 'run.timeout' ? 'error' : 'info'
    return {
      ts: new Date(at).toISOString(),
      level,
      agent: slug,
      event,
      ...(tokens !== null && { tokens }),
      metadata: { run_id: run },
    }
  })
  // An end comes after what was said: both have the same time.
  return merge(runs, said).slice(offset, offset + limit)
}

function merge(first: Line[], second: Line[]): Line[] {
  const lines: Line[] = []
  let [a, b] = [0, 0]
  while (a < first.length || b < second.length) {
    const [one, other] = [first[a], second[b]]
    const takeFirst = one && (!other || endsAfter(one, other))
    lines.push(takeFirst ? one : other!)
    if (takeFirst) a++
    else b++
  }
  return lines
}

const endsAfter = (run: Line, said: Line): boolean =>
  run.ts > said.ts || (run.ts === said.ts && run.event !== 'run.started')
