import type { Reply } from '#contract/define'
import { type About, fact, type Payload } from '#contract/entries'
import { allows } from '#contract/roles'
import type { runs } from '#contract/runs'
import type { App } from '#kernel/app'
import { roleInCrew } from '#kernel/auth/standing'
import { actorOf } from '#kernel/dispatch'
import type { Actor, Call } from '#kernel/feature'
import { problem } from '#kernel/problem'
import type { AgentRow } from '../agents/service.ts'
import { setStatus } from '../agents/status/service.ts'
import { endRun } from './endings/service.ts'
import { type NewRun, queries, type Run } from './queries.ts'
import { type Details, reads } from './records/queries.ts'
import { entryOf } from './rules.ts'
import { about, chatOf, tell } from './telling.ts'

export type { Run } from './queries.ts'

/** Most open runs, not counting those that wait for people. */
const openLimit = 1000

export const openRuns = ({ db }: App): Run[] => queries(db).open.all()
export const findRun = ({ db }: App, id: string): Run | undefined => queries(db).find.get(id)
/** The open run of a chat. */
export const runOfChat = ({ db }: App, chatId: string): Run | undefined => queries(db).ofStream.get(chatId)
export const runsOfAgent = ({ db }: App, agentId: string): Run[] => queries(db).ofAgent.all(agentId)
export const runsOfCrew = ({ db }: App, crewId: string): Run[] => queries(db).ofCrew.all(crewId)
/** Open runs of an issue. */
export const runsOfMission = ({ db }: App, missionId: string): Run[] => queries(db).ofMission.all(missionId)
/** Open runs of an agent, without those that wait for a person, which have no program. */
export const workingOfAgent = ({ db }: App, agentId: string): Run[] => queries(db).workingOfAgent.all(agentId)
/** Open runs of a crew, without those that wait for a person: they keep its container running. */
export const workingOfCrew = ({ db }: App, crewId: string): Run[] => queries(db).workingOfCrew.all(crewId)

/** Number of the newest stored frame of a stream. */
export const lastFrameOf = ({ db }: App, stream: string): number => queries(db).lastFrame.get(stream)!

/** The stream in which a run's frames are numbered: its chat, or `run:<id>`, since no chat's id has a colon. */
export const streamOf = ({ id, chat_id }: Pick<Run, 'id' | 'chat_id'>): string => chat_id ?? `run:${id}`

/** Starts and ends of an agent's runs, latest first. */
export function historyOfAgent(
  { db }: App,
  agentId: string,
  limit: number,
): { at: number; event: string; run: string; tokens: number | null }[] {
  const runs = queries(db).history.all(agentId, limit)
  const events = runs.flatMap(({ id, created_at, ended_at, outcome, tokens }) => [
    { at: created_at, event: 'run.started', run: id, tokens: null },
    ...(ended_at !== null && outcome ? [{ at: ended_at, event: entryOf[outcome], run: id, tokens }] : []),
  ])
  return events
    .sort((a, b) => b.at - a.at || Number(a.event === 'run.started') - Number(b.event === 'run.started'))
    .slice(0, limit)
}

/** Most runs of an agent that are looked at for others beside one. */
const fewBeside = 50

/** Other runs of the agent of an ended run that had a program since then, the newest ones. */
export const besides = ({ db }: App, { id, agent_id }: Run, since: number): Run[] =>
  queries(db)
    .history.all(agent_id, fewBeside)
    .filter((it) => it.id !== id && it.launch_json !== null && (it.ended_at === null || it.ended_at >= since))

/** Agents of the crew that had a program after then, in other runs than this one. */
export const busyBeside = ({ db }: App, { id, crew_id }: Run, since: number): string[] =>
  queries(db).besideInCrew.all({ crew: crew_id, run: id, since })

/** Refuses what is said to an agent that may not work. */
export function checkMayHear(agent: AgentRow): void {
  if (agent.expired_at !== null) throw problem('agent_expired', { extra: { reason: 'expired', agent_id: agent.id } })
  if (agent.status === 'PENDING_REVIEW')
    throw problem('agent_pending_review', { extra: { reason: 'pending_review', agent_id: agent.id } })
}

/** Refuses an agent that a tripwire stopped, until a person has decided. docs/tripwires.md. */
export function checkNotHeld({ db }: App, { id }: Pick<AgentRow, 'id'>): void {
  if (queries(db).tripped.get(id))
    throw problem('agent_pending_review', {
      detail: 'A tripwire stopped this agent: somebody who manages its crew decides whether it goes on',
      extra: { reason: 'tripwire', agent_id: id },
    })
}

/** Refuses a run that cannot begin because the agent may not work or this server runs no agents. */
export function checkMayBegin(app: App, agent: AgentRow): asserts agent is AgentRow & { crew_id: string } {
  checkMayHear(agent)
  checkNotHeld(app, agent)
  if (!agent.crew_id)
    throw problem('crew_not_running', { detail: 'The agent belongs to no crew, so it has no place to work' })
  if (!app.runs.available) throw problem('runtime_unavailable')
}

export type Wanted = Pick<NewRun, 'id' | 'chat_id' | 'source' | 'source_id' | 'triggered_by' | 'trigger_type'> & {
  agent: AgentRow
  max_turns?: number
  tags?: readonly string[]
  /** What the entry says of the assignment or the question that the run is for. */
  asked?: Omit<Payload<'run.started'>, 'trigger_type' | 'chat_id' | 'metadata'>
  /** Who began the run, where nobody spoke to the agent. */
  by?: Pick<About, 'actor_type' | 'actor_id'>
}

/**
 * Records a run, which starts once the change is committed; its source, one of `app.sources`, then gives the prompt.
 * Refuses a run that cannot begin, and a second run in a chat.
 */
export function beginRun(app: App, { agent, tags = [], asked, by, ...wanted }: Wanted): Run {
  checkMayBegin(app, agent)
  if (queries(app.db).queued.get()!.count >= openLimit)
    throw problem('unavailable', { detail: 'Too many runs wait to be started; try again later' })
  const run = queries(app.db).insert.get({
    max_turns: 0,
    ...wanted,
    workspace_id: agent.workspace_id,
    crew_id: agent.crew_id,
    agent_id: agent.id,
    agent_name: agent.name,
    agent_slug: agent.slug,
    stream: streamOf(wanted),
    created_at: app.clock(),
  })
  if (!run) throw busy(app, streamOf(wanted))
  const metadata = { tags: [...tags], ...(agent.llm_model && { model: agent.llm_model }), adapter: agent.cli_adapter }
  app.journal(
    fact(
      'run.started',
      { trigger_type: run.trigger_type, ...chatOf(run), metadata, ...asked },
      {
        ...about(run),
        actor_type: 'sidecar',
        ...(run.triggered_by && { actor_id: run.triggered_by }),
        ...by,
      },
    ),
  )
  setStatus(app, run.agent_id, 'RUNNING')
  tell(app, run, 'run.started', 'RUNNING')
  return run
}

/** The refusal of a new run in a stream that has an open one. */
export function busy(app: App, stream: string, detail?: string) {
  const run = runOfChat(app, stream)
  const item = run && (run.phase === 'parking' || run.phase === 'parked') ? itemOf(app, run) : undefined
  return problem('chat_busy', {
    ...(item ? { detail: 'The agent waits for an answer to its question in the inbox' } : detail && { detail }),
    extra: { run_id: run?.id, triggered_by: run?.triggered_by, ...(item && { inbox_item_id: item }) },
  })
}

/** The id of the inbox item that a run waits for. */
function itemOf({ db }: App, { workspace_id, id }: Run): string | undefined {
  const record = reads(db).find.get(workspace_id, id)
  return record && (JSON.parse(record.details) as Details).inbox_item_id
}

/** Requests the end of a run; null when it has ended. A run that waits for a person ends at once. */
export function wishCancel(app: App, runId: string, userId: string | null): Run | null {
  const run = queries(app.db).cancel.get({ id: runId, at: app.clock(), by: userId }) ?? findRun(app, runId)
  if (!run || run.phase === 'ended') return null
  if (run.phase === 'parked') endRun(app, runId, cancelledWhileParked)
  app.afterCommit(() => app.runs.cancel(runId))
  return run
}

/** Refuses callers who may not end a run: only the person who began it and MANAGERs (or above) of its crew may. */
export function checkMayEnd(app: App, { id, workspace, role }: Person, run: Run): void {
  const there = run.triggered_by === id ? 'OWNER' : roleInCrew(app.db, { id, workspace, role }, run.crew_id)
  if (!there || !allows('MANAGER', there))
    throw problem('insufficient_role', { detail: "Ending somebody else's run needs the role MANAGER or above" })
}

type Person = Pick<Actor, 'id' | 'workspace' | 'role'>

/** Ends a run by its id; a run that has ended is left unchanged. */
export function cancel(app: App, { actor, runId }: Call<typeof runs.cancel>): Reply<typeof runs.cancel> {
  const run = findRun(app, runId)
  if (run?.workspace_id !== actor.workspace) throw problem('not_found', { detail: 'There is no such run' })
  checkMayEnd(app, actor, run)
  wishCancel(app, runId, actor.id)
  return { run_id: runId, status: findRun(app, runId)!.outcome ?? 'RUNNING' }
}

const cancelledWhileParked = {
  outcome: 'CANCELLED',
  reason: 'Cancelled',
  agentStatus: null,
  exitCode: null,
  metadata: {},
  message: null,
  command: null,
  lastFrame: 0,
} as const

/** Marks a run as waiting for a person, which ends its program; false when it has ended or is about to. */
export function parkRun(app: App, runId: string): boolean {
  const run = queries(app.db).park.get(runId)
  if (run) tell(app, run, 'run.parked', 'RUNNING')
  return run !== undefined
}

/** Resumes a parked run with this message, once the change is committed. */
export function resumeRun(
  app: App,
  runId: string,
  { actor, message, ...more }: { actor: Actor; message: string; inbox_item_id?: string; delivery_id?: string },
): void {
  const run = queries(app.db).resume.get({ id: runId, answer: message })
  if (!run) throw new Error(`The run ${runId} is not parked`)
  const payload = { ...chatOf(run), comment_id: message, attempt: run.attempt, ...more }
  app.journal(fact('run.resumed', payload, { ...about(run), ...actorOf(actor) }))
  setStatus(app, run.agent_id, 'RUNNING')
  tell(app, run, 'run.resumed', 'RUNNING')
}
