import { onboarding } from '#contract/onboarding'
import { feature, staged } from '#kernel/feature'
import { checkModel } from '../agents/models/service.ts'
import { complete, isComplete } from './service.ts'
import { setUp } from './setup/service.ts'

export default feature(onboarding, (app) => ({
  status: ({ actor }) => ({ completed: isComplete(app, actor.id) }),
  complete: ({ actor, now }) => complete(app, actor.id, now),
  setup: staged(
    (call) => checkModel(app, call),
    (call) => setUp(app, call),
  ),
}))
