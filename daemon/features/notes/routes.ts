import { notes } from '#contract/notes'
import { feature } from '#kernel/feature'
import { acknowledge, forgetNotes, take } from './service.ts'

export default feature(
  notes,
  (app) => ({
    take: (call) => take(app, call),
    acknowledge: (call) => acknowledge(app, call),
  }),
  {
    on: {
      'run.completed': forgetNotes,
      'run.failed': forgetNotes,
      'run.timeout': forgetNotes,
      'run.cancelled': forgetNotes,
    },
  },
)
