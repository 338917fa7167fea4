import { asks } from '#contract/asks'
import type { App } from '#kernel/app'
import type { Happened } from '#kernel/facts'
import { feature } from '#kernel/feature'
import { park } from './service.ts'
import { leaveSession } from './sessions/service.ts'
import { answerSource } from './source.ts'

/** A run that is over waits for nobody. */
const over = (app: App, { about }: Pick<Happened, 'about'>) =>
  leaveSession(app, about.trace_id!, 'idle', about.actor_type === 'user' ? about.actor_id! : null)

export default feature(
  asks,
  (app) => ({
    park: (call) => park(app, call),
  }),
  {
    sources: { answer: answerSource },
    on: {
      // The answer has reached the agent once its next program is started.
      'exec.command': (app, { payload, about }) => {
        if (payload.phase === 'start') leaveSession(app, about.trace_id!, 'running', null)
      },
      'run.completed': over,
      'run.failed': over,
      'run.cancelled': over,
      'run.timeout': over,
    },
  },
)
