import { fact } from '#contract/entries'
import type { App } from '#kernel/app'
import type { Happened } from '#kernel/facts'
import { newId } from '#kernel/ids'
import {
  advance,
  countEnd,
  dueSince,
  forgetSchedule,
  type ScheduleRow,
  scheduleOf,
} from '../../agents/schedules/service.ts'
import { type AgentRow, agentById } from '../../agents/service.ts'
import { openOwnChat } from '../../chats/service.ts'
import { raise } from '../../inbox/service.ts'
import { findRun, runOfChat } from '../../runs/service.ts'
import { begin, concerning, refusalOf } from '../begin/service.ts'

const mostTurns = 20

/** Begins what an agent's schedule asks for, once whatever was missed. docs/triggers.md, "Schedules". */
export function beginScheduled(app: App, agentId: string): void {
  const row = scheduleOf(app, agentId)
  const agent = agentById(app, agentId)
  if (!agent || !row?.cron || !row.prompt) return void forgetSchedule(app, agentId)
  if (!row.next_run) return
  const { begins, missed } = dueSince(row.cron, row.timezone, Date.parse(row.next_run), app.clock())
  if (missed > 0) tellMissed(app, agent, missed, row.next_run)
  const chat_id = begins ? openOwnChat(app, agent, 'cron', 'Schedule') : null
  const skipped = chat_id === null ? row.skipped : runOfChat(app, chat_id) ? 'chat_busy' : refusalOf(app, agent)
  advance(app, row, skipped, chat_id !== null && !skipped)
  if (chat_id === null) return
  if (skipped) return void tellSkipped(app, agent, row, skipped)
  const id = newId(app.clock())
  const tags = ['scheduled']
  begin(app, { id, agent, chat_id, trigger_type: 'CRON', text: row.prompt, tags, max_turns: mostTurns })
}

/** Said once for all occurrences that are skipped one after the other for the same reason. */
function tellSkipped(app: App, agent: AgentRow, row: ScheduleRow, reason: string): void {
  if (row.skipped === reason) return
  app.journal(fact('agent.schedule_skipped', { due_at: row.next_run!, reason }, concerning(agent)))
}

function tellMissed(app: App, agent: AgentRow, missed_count: number, since: string): void {
  app.journal(fact('agent.schedule_missed', { missed_count, since }, concerning(agent)))
  const item = {
    kind: 'schedule_missed',
    source: agent.id,
    target: { role: 'MANAGER' },
    title: `${agent.name}'s schedule was missed ${missed_count === 1 ? 'once' : `${missed_count} times`}`,
    body: 'Muster was not running when it was due. What was missed is not made up for.',
    payload: { schedule_id: agent.id, agent_id: agent.id, missed_count, catchup_policy: 'skip', since },
  } as const
  raise(app, { ...item, workspace: agent.workspace_id, now: app.now() }, 'upsert')
}

type End = Happened<'run.completed' | 'run.failed' | 'run.timeout'>

/** Switches a schedule off whose runs fail one after the other. */
export function countScheduled(app: App, { name, about }: End): void {
  const run = about.trace_id ? findRun(app, about.trace_id) : undefined
  if (run?.trigger_type !== 'CRON') return
  const failures = countEnd(app, run.agent_id, name === 'run.completed' ? 'well' : 'badly')
  const agent = failures === null ? undefined : agentById(app, run.agent_id)
  if (failures === null || !agent) return
  app.journal(fact('agent.schedule_tripped', { consecutive_failures: failures }, concerning(agent)))
  const item = {
    kind: 'schedule_circuit_breaker_tripped',
    source: agent.id,
    target: { role: 'MANAGER' },
    title: `${agent.name}'s schedule was switched off`,
    body: `Its runs failed ${failures} times in a row. Switch it on again once the cause is gone.`,
    priority: 'high',
    payload: { schedule_id: agent.id, agent_id: agent.id, consecutive_failures: failures },
  } as const
  raise(app, { ...item, workspace: agent.workspace_id, now: app.now() }, 'upsert')
}
