import { allows } from '#contract/roles'
import type { App } from '#kernel/app'
import { membership } from '#kernel/auth/membership'
import type { Target } from '../../inbox/service.ts'
import type { Row } from '../queries.ts'

/** Who opened an issue; where that is nobody who may decide, those who lead. */
export const ownerOf = (app: App, { workspace_id, created_by_type, created_by_id }: Row): Target =>
  created_by_type === 'user' && mayDecide(app, workspace_id, created_by_id)
    ? { user: created_by_id! }
    : { role: 'MANAGER' }

/** Whom an agent's question about an issue is for: the person who works on it, else its owner. */
export function askedOf(app: App, issue: Row): Target {
  const { workspace_id, assignee_type, assignee_id } = issue
  return assignee_type === 'user' && mayDecide(app, workspace_id, assignee_id)
    ? { user: assignee_id! }
    : ownerOf(app, issue)
}

function mayDecide({ db }: App, workspace: string, user: string | null): boolean {
  const role = user && membership(db, workspace, user)?.role
  return role ? allows('MEMBER', role) : false
}
