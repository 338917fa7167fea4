import type { Acting } from '#contract/entries'
import type { App } from '#kernel/app'
import { itemId, type Raise, raise, settle } from '../../inbox/service.ts'
import { ownerOf } from '../people/service.ts'
import type { Row } from '../queries.ts'

const sourceOf = ({ id }: Pick<Row, 'id'>) => `issue_${id}`

const words: Record<string, string> = { REVIEW: 'is to be reviewed', FAILED: 'failed' }

/** Tells the owner of an issue that its agent or routine is done, or failed and why. */
export function noticeEnd(app: App, issue: Row, sender: NonNullable<Raise['sender']>, body: string | null): void {
  const { workspace_id, id, identifier, title, status } = issue
  raise(
    app,
    {
      workspace: workspace_id,
      kind: 'message',
      source: sourceOf(issue),
      target: ownerOf(app, issue),
      title: `${identifier} ${words[status] ?? status}: ${title}`,
      body,
      sender,
      payload: { mission_id: id, issue_identifier: identifier, new_status: status },
      attention: 'review',
      now: app.now(),
    },
    'upsert',
  )
}

/** Where an issue has gone on, or is gone, its notice is settled. */
export const clearNotice = (app: App, issue: Pick<Row, 'id' | 'workspace_id'>, by: Acting): void =>
  settle(app, {
    workspace: issue.workspace_id,
    id: itemId('message', sourceOf(issue)),
    action: 'moved',
    by: by.actor_type === 'user' ? (by.actor_id ?? null) : null,
    now: app.now(),
  })
