import { issues } from '#contract/issues'
import { feature } from '#kernel/feature'
import { bulk, create, remove, review, update } from './changes/service.ts'
import { comment, comments } from './comments/service.ts'
import { dropLabel, leaveAgent, leaveMember, leaveMilestone, leaveProject } from './leaving/service.ts'
import { relate, relations, unrelate } from './relations/service.ts'
import { activity, findAny, list, ofCrew, show, subtasks } from './service.ts'

export default feature(
  issues,
  (app) => ({
    list: (call) => list(app, call),
    find: (call) => findAny(app, call),
    ofCrew: (call) => ofCrew(app, call),
    show: (call) => show(app, call),
    create: (call) => create(app, call),
    update: (call) => update(app, call),
    remove: (call) => remove(app, call),
    bulk: (call) => bulk(app, call),
    review: (call) => review(app, call),
    subtasks: (call) => subtasks(app, call),
    activity: (call) => activity(app, call),
    comments: (call) => comments(app, call),
    comment: (call) => comment(app, call),
    relations: (call) => relations(app, call),
    relate: (call) => relate(app, call),
    unrelate: (call) => unrelate(app, call),
  }),
  {
    on: {
      'project.deleted': leaveProject,
      'milestone.deleted': leaveMilestone,
      'label.deleted': dropLabel,
      'agent.deleted': leaveAgent,
      'workspace_member.deleted': leaveMember,
    },
  },
)
