import type { App } from '#kernel/app'
import type { Happened } from '#kernel/facts'
import { queries } from '../queries.ts'

/** Projects that a deleted agent led are led by nobody. */
export const leaveAgent = ({ db }: App, { payload }: Happened<'agent.deleted'>): void =>
  void queries(db).leaveAgent.run(payload.entity_id)

/** Projects that a former member led are led by nobody. */
export const leaveMember = ({ db }: App, { payload, about }: Happened<'workspace_member.deleted'>): void =>
  void queries(db).leaveUser.run(about.workspace_id!, payload.metadata.user_id)
