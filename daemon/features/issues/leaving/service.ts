import type { App } from '#kernel/app'
import type { Happened } from '#kernel/facts'
import { queries } from '../queries.ts'

/** Issues of a deleted project belong to none. */
export const leaveProject = ({ db }: App, { payload }: Happened<'project.deleted'>): void =>
  void queries(db).leaveProject.run(payload.entity_id)

/** Issues of a deleted milestone stay in its project. */
export const leaveMilestone = ({ db }: App, { payload }: Happened<'milestone.deleted'>): void =>
  void queries(db).leaveMilestone.run(payload.entity_id)

/** A deleted label is taken off all issues. */
export const dropLabel = ({ db }: App, { payload }: Happened<'label.deleted'>): void =>
  void queries(db).dropLabel.run(payload.entity_id)

/** What a deleted agent had to do is nobody's. */
export const leaveAgent = ({ db }: App, { payload }: Happened<'agent.deleted'>): void =>
  void queries(db).leaveAgent.run(payload.entity_id)

/** What a former member had to do is nobody's. */
export const leaveMember = ({ db }: App, { payload, about }: Happened<'workspace_member.deleted'>): void =>
  void queries(db).leaveUser.run(about.workspace_id!, payload.metadata.user_id)
