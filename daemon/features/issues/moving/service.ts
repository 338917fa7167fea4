import type { Acting } from '#contract/entries'
import type { IssueStatus } from '#contract/issues'
import type { App } from '#kernel/app'
import { clearNotice } from '../notices/service.ts'
import { queries, type Row } from '../queries.ts'
import { findIssue } from '../service.ts'
import { tell, tellMoved } from '../telling.ts'

/** Gives an issue another status, and the chat in which it is worked on from now on; null where it is not. */
export function moveTo(app: App, before: Row, status: IssueStatus, work_chat_id: string | null, by: Acting): Row {
  queries(app.db).setStatus.run({ id: before.id, status, work_chat_id, updated_at: app.now() })
  const after = findIssue(app, before.workspace_id, before.id)
  if (before.status !== status) {
    tellMoved(app, before.status, after, by)
    clearNotice(app, after, by)
  }
  tell(app, after, 'issue.updated')
  return after
}
