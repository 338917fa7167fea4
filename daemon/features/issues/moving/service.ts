import type { Acting } from '#contract/entries'
import type { IssueStatus } from '#contract/issues'
import type { App } from '#kernel/app'
import { clearNotice } from '../notices/service.ts'
import { queries, type Row } from '../queries.ts'
import { findIssue } from '../service.ts'
import { tell, tellMoved } from '../telling.ts'

/** Where an issue is worked on: in the chat of its agent, or by a run of its routine. */
type Work = Partial<Pick<Row, 'work_chat_id' | 'work_run_id'>>

/** Gives an issue another status, and says where it is worked on from now on, if anywhere. */
export function moveTo(app: App, before: Row, status: IssueStatus, by: Acting, work: Work = {}): Row {
  const { work_chat_id = null, work_run_id = null } = work
  queries(app.db).setStatus.run({ id: before.id, status, work_chat_id, work_run_id, updated_at: app.now() })
  const after = findIssue(app, before.workspace_id, before.id)
  if (before.status !== status) {
    tellMoved(app, before.status, after, by)
    clearNotice(app, after, by)
  }
  tell(app, after, 'issue.updated')
  return after
}
