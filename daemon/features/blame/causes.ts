import type { App } from '#kernel/app'
import { cut } from '#kernel/cut'
import { timeAt } from '#kernel/time-at'
import { ancestorsOf, mayRead } from '../runs/chains/service.ts'
import { sourceOf } from '../runs/messages/service.ts'
import { decisionsOf, lastEntryOf, personOf } from '../runs/receipts/service.ts'
import { findRun, type Run } from '../runs/service.ts'

/** Characters of what was asked that are told. */
const mostAsked = 500

/** What led to a run, as far as it is for this person; null when the run is gone. */
export function causeOf(app: App, runId: string, user: string) {
  const run = findRun(app, runId)
  if (!run) return null
  const open = mayRead(app, run, user)
  const askedOf = (one: Run) => (open ? wordsOf(app, one) : null)
  return {
    id: run.id,
    agent_id: run.agent_id,
    agent_name: run.agent_name,
    agent_slug: run.agent_slug,
    status: run.outcome ?? 'RUNNING',
    trigger_type: run.trigger_type,
    started_at: timeAt(run.created_at),
    chat_id: run.chat_id,
    entry_id: lastEntryOf(app, run)?.id ?? null,
    asked: askedOf(run),
    requested_by: personOf(app, run.triggered_by),
    delegated_by: ancestorsOf(app, run)
      .slice(1)
      .map((one) => ({
        run_id: one.id,
        agent_slug: one.agent_slug,
        trigger_type: one.trigger_type,
        asked: askedOf(one),
        requested_by: personOf(app, one.triggered_by),
      })),
    decisions: decisionsOf(app, run).map(
      ({ id, kind, asked, state, outcome, settled_at, settled_by, settled_name }) => ({
        id,
        kind,
        asked: open ? cut(asked, mostAsked) : null,
        state,
        outcome,
        settled_at,
        settled_by: settled_by === null ? null : { id: settled_by, name: settled_name },
      }),
    ),
  }
}

function wordsOf(app: App, run: Run): string | null {
  const text = sourceOf(app, run).prompt(app, run)?.text
  return text === undefined ? null : cut(text, mostAsked)
}
