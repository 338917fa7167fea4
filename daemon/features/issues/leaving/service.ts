import type { Acting } from '#contract/entries'
import type { Worker } from '#contract/projects'
import type { App } from '#kernel/app'
import { acting, type Happened } from '#kernel/facts'
import { queries, type Row } from '../queries.ts'
import { note, tell } from '../telling.ts'

/** Issues of a deleted project belong to none. */
export const leaveProject = ({ db }: App, { payload }: Happened<'project.deleted'>): void =>
  void queries(db).leaveProject.run(payload.entity_id)

/** Issues of a deleted milestone stay in its project. */
export const leaveMilestone = ({ db }: App, { payload }: Happened<'milestone.deleted'>): void =>
  void queries(db).leaveMilestone.run(payload.entity_id)

/** No routine does what a deleted one was to do. */
export const leaveRoutine = ({ db }: App, { payload }: Happened<'routine.deleted'>): void =>
  void queries(db).leaveRoutine.run(payload.entity_id)

/** A deleted label is taken off all issues. */
export const dropLabel = ({ db }: App, { payload }: Happened<'label.deleted'>): void =>
  void queries(db).dropLabel.run(payload.entity_id)

/** What a deleted agent had to do is nobody's. */
export function leaveAgent(app: App, { payload, about }: Happened<'agent.deleted'>): void {
  const former = workOf(app, about.workspace_id!, 'agent', payload.entity_id)
  queries(app.db).leaveAgent.run(payload.entity_id)
  tellLeft(app, former, acting(about))
}

/** What a former member had to do is nobody's. */
export function leaveMember(app: App, { payload, about }: Happened<'workspace_member.deleted'>): void {
  const former = workOf(app, about.workspace_id!, 'user', payload.metadata.user_id)
  queries(app.db).leaveUser.run(about.workspace_id!, payload.metadata.user_id)
  tellLeft(app, former, acting(about))
}

const workOf = ({ db }: App, workspace: string, type: Worker, worker: string): Row[] =>
  queries(db).ofWorker.all({ workspace, type, worker })

/** The journal has who left; each issue has that it is nobody's. */
function tellLeft(app: App, former: readonly Row[], by: Acting): void {
  for (const issue of former) {
    note(app, issue, by, 'assignee_changed', `${issue.assignee_name} → nobody`)
    tell(app, issue, 'issue.updated')
  }
}
