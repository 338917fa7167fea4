import { Type } from 'typebox'
import { entry } from './define.ts'
import { named, quoted } from './quote.ts'

const maybe = Type.Optional(Type.String())
const Subject = { title: Type.String(), mission_type: Type.Literal('orchestration') }
const OfTask = { task_id: maybe, task_title: maybe }

const because = (reason: string | undefined) => (reason ? `: ${quoted(reason)}` : '')

/** What happened to a mission or a task otherwise; `%` stands for its title. */
const deeds: Record<string, string> = {
  changed: '% was changed',
  deleted: '% was deleted',
  restarted: '% was restarted',
  plan_asked: 'The LEAD was asked to plan %',
  planned: '% was planned',
  plan_failed: '% could not be planned',
  task_added: 'A task was added to %',
  task_changed: 'A task of % was changed',
  task_deleted: 'A task of % was deleted',
  task_completed: 'A task of % was completed',
  task_failed: 'A task of % failed',
  task_retried: 'A task of % is tried again',
  task_skipped: 'A task of % is left out',
  task_cancelled: 'A task of % was cancelled',
  task_awaits_approval: 'A task of % waits for approval',
}

/** Missions, which are plans of several agents. docs/rules/work.md, "Missions". */
export const missionFacts = {
  'orchestration.created': entry(
    'mission.created',
    'info',
    Type.Object(Subject),
    ({ title }, { person }) => `${person} opened the mission ${quoted(title)}`,
  ),
  'orchestration.moved': entry(
    'mission.status_change',
    'info',
    Type.Object({
      ...Subject,
      action: Type.Literal('status_changed'),
      from: Type.String(),
      to: Type.String(),
      reason: maybe,
    }),
    ({ title, from, to, reason }) => `The mission ${quoted(title)} went from ${from} to ${to}${because(reason)}`,
  ),
  'orchestration.changed': entry(
    'mission.status_change',
    'info',
    Type.Object({ ...Subject, action: Type.String(), ...OfTask, reason: maybe }),
    ({ title, action, task_title, reason }) =>
      (deeds[action] ?? deeds['changed']!).replace('%', `the mission ${quoted(title)}`).replace(/^the/, 'The') +
      (task_title ? `: ${quoted(task_title)}` : '') +
      because(reason),
  ),
  'task.delegated': entry(
    'task.delegated',
    'info',
    Type.Object({
      ...Subject,
      task_id: Type.String(),
      task_title: Type.String(),
      target_slug: Type.String(),
      target_name: Type.String(),
      assignment_id: Type.String(),
      iteration: Type.Integer(),
    }),
    ({ title, task_title, target_name, iteration }) =>
      `${named(target_name)} was given ${quoted(task_title)} of the mission ${quoted(title)}` +
      (iteration > 1 ? ` for the ${ordinal(iteration)} time` : ''),
  ),
}

const ordinal = (n: number): string => ({ 2: 'second', 3: 'third' })[n] ?? `${n}th`
