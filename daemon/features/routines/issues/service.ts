import { problem } from '#kernel/problem'
import type { Routines } from '#kernel/routines'
import { cancelRun } from '../endings/service.ts'
import { routineById } from '../service.ts'
import { startRun } from '../starting/service.ts'

/** Starts routines for issues, which stand below them. */
export const forIssues: Routines = {
  find: routineById,
  start(app, actor, { id, identifier, routine: name, inputs }) {
    const { workspace } = actor
    const routine = routineById(app, workspace, name)
    if (!routine) throw problem('transition_refused', { detail: `The routine of ${identifier} is gone` })
    const user = actor.type === 'user' ? actor.id : null
    const metadata = { issue_identifier: identifier }
    return startRun(app, { workspace, routine, inputs, via: 'issue', by: id, user, metadata }).run_id
  },
  cancel: (app, run, by) => cancelRun(app, run, by, 'The issue is no longer to be done'),
}
