import type { App } from '#kernel/app'
import { acting, type Happened } from '#kernel/facts'
import { newId } from '#kernel/ids'
import { Problem, problem } from '#kernel/problem'
import { agentById } from '../../agents/service.ts'
import { sourceOf } from '../../runs/messages/service.ts'
import { beginRun, checkMayBegin, findRun, type Run, runOfChat } from '../../runs/service.ts'
import { cancelGroup, type EndedAssignment, type EndedRun, withdrawRequest } from '../endings/service.ts'
import { queries, type Row } from '../queries.ts'
import { admit, pump } from '../queue/service.ts'
import { resultsText } from '../rules.ts'

/** Follows the end of an assignment: its place is free, what it delegated is over, its agent's asker is told. */
export async function afterAssignment(app: App, { name, payload, about }: EndedAssignment): Promise<void> {
  await app.write(() => {
    const row = queries(app.db).byId.get(payload.assignment_id)
    if (!row) return
    if (name !== 'assignment.completed') cancelGroup(app, row.id, acting(about))
    withdrawRequest(app, row)
    pump(app, row.crew_id)
    advance(app, row.group_id)
  })
}

/** Follows the end of a run that delegated: a cancelled one takes that along, another one is told of it. */
export async function afterRun(app: App, { name, about }: EndedRun): Promise<void> {
  const run = about.trace_id ? findRun(app, about.trace_id) : undefined
  if (!run) return
  const assigned = run.source === 'assignment'
  const group = groupOf(app, run)
  const untold = run.chat_id ? untoldIn(app, run.chat_id) : []
  if (!assigned && !untold.length && !queries(app.db).groupCount.get(group)!.n) return
  await app.write(() => {
    if (name === 'run.cancelled' && !assigned) cancelGroup(app, group, acting(about))
    if (assigned) pump(app, run.crew_id)
    for (const one of new Set([group, ...untold])) advance(app, one)
  })
}

const untoldIn = ({ db }: App, chat: string): string[] =>
  queries(db)
    .undeliveredOfChat.all(chat)
    .map(({ group_id }) => group_id)

/** What a run delegates belongs to its assignment, else to the turn of the agent that a person or a trigger began. */
export const groupOf = ({ db }: App, { id, source, source_id }: Run): string =>
  (source === 'assignment' ? source_id : queries(db).groupOfTurn.get(id)?.group_id) ?? id

/** Tells the agent that delegated what it came to, in a turn of its own, once all has ended and the agent is free. */
export function advance(app: App, group: string): void {
  const rows = queries(app.db).undelivered.all(group)
  const [first] = rows
  if (!first || queries(app.db).openOfGroup.get(group)) return
  const parent = first.parent_assignment_id ? queries(app.db).byId.get(first.parent_assignment_id) : undefined
  if (parent?.finished_at === null) {
    if (parent.waiting) admit(app, parent)
    return
  }
  const asker = findRun(app, rows.at(-1)!.parent_run_id)
  const left = !asker || asker.outcome === 'CANCELLED' || (asker.chat_id !== null && first.chat_id === null)
  if (left || first.parent_assignment_id !== null) drop(app, rows)
  else if (asker.phase === 'ended' && !(asker.chat_id && runOfChat(app, asker.chat_id))) hand(app, rows, asker)
}

function drop(app: App, rows: readonly Row[]): void {
  for (const { id } of rows) queries(app.db).deliver.get({ id, delivery: 'none', run: null })
}

/** Exactly once: words, run and mark are one change. */
function hand(app: App, rows: readonly Row[], asker: Run): void {
  const agent = agentById(app, asker.agent_id)
  const refusal = agent ? whyNot(app, agent) : 'gone'
  if (refusal === 'later') return
  const source = sourceOf(app, asker)
  if (!agent || refusal || !source.hear) {
    drop(app, rows)
    return
  }
  const next = newId(app.clock())
  const metadata = { kind: 'assignment_results', assignments: rows.map(({ id }) => id) }
  const heard = source.hear(app, asker, { text: resultsText(rows), metadata, next })
  const { chat_id, triggered_by, trigger_type } = asker
  if (heard)
    beginRun(app, { id: next, agent, ...heard, chat_id, triggered_by, trigger_type, tags: ['assignment_results'] })
  for (const { id } of rows) queries(app.db).deliver.get({ id, delivery: 'turn', run: heard ? next : null })
}

function whyNot(app: App, agent: NonNullable<ReturnType<typeof agentById>>): 'later' | 'gone' | null {
  try {
    checkMayBegin(app, agent)
    return null
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    return error.code === 'runtime_unavailable' ? 'later' : 'gone'
  }
}

/** Tells all whose turn was missed because the daemon ended in between. */
export function sweepUntold(app: App): void {
  for (const { group_id } of queries(app.db).undeliveredGroups.all()) advance(app, group_id)
}

/** What has ended in a deleted chat is told to nobody. */
export function forgetChat(app: App, { payload }: Happened<'chat.deleted'>): void {
  const { openInChat, undelivered, leaveChat } = queries(app.db)
  if (openInChat.get(payload.entity_id))
    throw problem('assignments_open', {
      detail: 'Agents still work on what was delegated in this chat; cancel it first',
    })
  for (const group of untoldIn(app, payload.entity_id)) drop(app, undelivered.all(group))
  leaveChat.run(payload.entity_id)
}
