import type { App } from '#kernel/app'
import type { Prompt, RunSource, SourcedRun } from '#kernel/runs'
import { ownMessages } from '../runs/messages/service.ts'
import { queries, type Row } from './queries.ts'
import { resultsText, taskText } from './rules.ts'

const rowOf = ({ db }: App, { source_id }: SourcedRun): Row | undefined =>
  source_id === null ? undefined : queries(db).byId.get(source_id)

function prompt(app: App, run: SourcedRun): Prompt | null {
  const row = rowOf(app, run)
  if (!row) return null
  const text = askedIn(app, row, run.id)
  const metadata = { assignment_id: row.id, author_agent_id: row.assigned_by_id }
  return { text, history: () => earlier(app, row, run), shown: { type: 'user_message', content: text, metadata } }
}

/** The task, or what it came to that the agent delegated in turn. */
function askedIn(app: App, row: Row, run: string): string {
  const results = queries(app.db).ofTurn.all(run)
  return results.length ? resultsText(results) : taskText(row)
}

/** What was asked and said in earlier runs of the assignment. */
function earlier(app: App, row: Row, run: SourcedRun): ReturnType<Prompt['history']> {
  return queries(app.db)
    .runsBefore.all(row.id, run.id)
    .flatMap(({ id }) => {
      const said = ownMessages.kept(app, { ...run, id }).filter(({ role }) => role === 'assistant')
      return [{ role: 'user' as const, content: askedIn(app, row, id) }, ...said]
    })
}

/** Runs that do what another agent asked for: `source_id` is the assignment. Its end ends the assignment. */
export const assignmentSource: RunSource = {
  prompt,
  ...ownMessages,
  parent: (app, run) => rowOf(app, run)?.parent_run_id ?? null,
}
