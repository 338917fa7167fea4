import type { Reply } from '#contract/define'
import type { keeper } from '#contract/keeper'
import { type App, wholeSeconds } from '#kernel/app'
import type { Actor } from '#kernel/feature'
import { raise } from '../../inbox/service.ts'
import { type AlarmKind, alarmIn, figuresOf, limits, type Sample } from './rules.ts'

interface Window {
  samples: Sample[]
  alarm: { kind: AlarmKind; summary: string; at: string } | null
  /** When people were last told of each kind, in milliseconds. */
  told: Map<AlarmKind, number>
}

const windows = new WeakMap<App, Map<string, Window>>()

function windowOf(app: App, workspace: string): Window {
  const all = windows.get(app) ?? new Map<string, Window>()
  windows.set(app, all)
  const window = all.get(workspace) ?? { samples: [], alarm: null, told: new Map() }
  // The one that was not used for longest goes first.
  all.delete(workspace)
  all.set(workspace, window)
  if (all.size > limits.workspaces) all.delete(all.keys().next().value!)
  return window
}

/** Counts a decision, and tells people when something is wrong with the judge. Within the change of the decision. */
export function count(app: App, workspace: string, sample: Omit<Sample, 'at'>): void {
  const window = windowOf(app, workspace)
  const at = wholeSeconds(app.clock())
  window.samples = [...window.samples, { ...sample, at }].slice(-limits.window)
  const figures = figuresOf(workspace, window.samples)
  const found = alarmIn(figures)
  window.alarm = found && { ...found, at: window.alarm?.kind === found.kind ? window.alarm.at : at }
  if (!found || app.clock() - (window.told.get(found.kind) ?? Number.NEGATIVE_INFINITY) < limits.cooldownMs) return
  window.told.set(found.kind, app.clock())
  const { samples, allow_rate, deny_rate, escalate_rate, judge_failure_rate } = figures
  raise(app, {
    workspace,
    kind: 'escalation',
    source: `keeper-${found.kind}-${app.clock()}`,
    target: { role: 'ADMIN' },
    title: 'Something is wrong with the judge of credentials',
    body: `${found.summary}. Next: muster keeper health, muster keeper test`,
    priority: 'high',
    attention: 'repair',
    payload: { alarm: found.kind, samples, rates: { allow_rate, deny_rate, escalate_rate, judge_failure_rate } },
    now: app.now(),
  })
}

/** The window of a workspace, empty where nothing was decided since the start. */
export function health(app: App, { actor: { workspace } }: { actor: Actor }): Reply<typeof keeper.health> {
  const window = windows.get(app)?.get(workspace)
  return { ...figuresOf(workspace, window?.samples ?? []), ...(window?.alarm && { alarm: window.alarm }) }
}
