import type { Acting } from '#contract/entries'
import type { TriagePriority } from '#contract/triage'
import type { App } from '#kernel/app'
import { tellChanges } from '../changes/service.ts'
import { queries } from '../queries.ts'
import { findIssue } from '../service.ts'
import { tell } from '../telling.ts'

export interface Outcome {
  crew_id: string | null
  assignee_id: string | null
  project_id: string | null
  priority: TriagePriority | null
}

/** Issues that are read at a time. */
const most = 200

/**
 * Issues of the backlog that nobody works on and that are part of no other, oldest first, read a few at a time:
 * others may have their turn between any two.
 */
export function* untriaged({ db }: App, workspace: string): Generator<{ id: string; title: string }> {
  let after = 0
  for (;;) {
    const page = queries(db).untriaged.all(workspace, after, most)
    yield* page
    if (page.length < most) return
    after = page.at(-1)!.place
  }
}

/** Does with an issue what a triage rule says; false when it needs none any more. */
export function triaged(app: App, workspace: string, id: string, outcome: Outcome, by: Acting, now: string): boolean {
  const before = queries(app.db).find.get({ workspace, name: id })
  if (before?.status !== 'BACKLOG' || before.assignee_id || before.parent_issue_id) return false
  const { crew_id, assignee_id, project_id, priority } = outcome
  queries(app.db).triage.run({
    id,
    crew_id: crew_id ?? before.crew_id,
    assignee_type: assignee_id && 'agent',
    assignee_id,
    priority: priority === null ? before.priority : priority === 'normal' ? 'medium' : priority,
    project_id: project_id ?? before.project_id,
    milestone_id: project_id && project_id !== before.project_id ? null : before.milestone_id,
    now,
  })
  const after = findIssue(app, workspace, id)
  tellChanges(app, before, after, by)
  tell(app, after, 'issue.updated')
  return true
}
