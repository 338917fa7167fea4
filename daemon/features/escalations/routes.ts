import { escalations } from '#contract/escalations'
import { feature } from '#kernel/feature'
import { problem } from '#kernel/problem'
import { expireDue } from '../decisions/service.ts'
import { cancel, purge, resolve } from './answers.ts'
import { escalation } from './kind.ts'
import { create, findBound, list, pending, show } from './service.ts'
import { waitForAnswer } from './waiting.ts'

export default feature(escalations, (app) => ({
  list: (call) => list(app, call),
  pending: (call) => pending(app, call),
  show: (call) => show(app, call),
  resolve: (call) => resolve(app, call),
  cancel: (call) => cancel(app, call),
  sweep: ({ actor }) => ({ expired: expireDue(app, 10_000, { kind: escalation, workspace: actor.workspace }) }),
  purge: (call) => purge(app, call),
  create: (call) => create(app, call),
  async wait({ actor, escalationId, web }) {
    const { id } = findBound(app, actor, escalationId)
    const gone = new AbortController()
    web?.reply.raw.once('close', () => gone.abort())
    const outcome = await waitForAnswer(app, id, AbortSignal.any([gone.signal, app.stopping.signal]))
    if (!outcome) throw problem('unavailable', { detail: 'The daemon stops: ask again' })
    return outcome
  },
}))
