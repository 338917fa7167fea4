import { onboarding } from '#contract/onboarding'
import { feature } from '#kernel/feature'
import { complete, isComplete } from './service.ts'

export default feature(onboarding, (app) => ({
  status: ({ actor }) => ({ completed: isComplete(app, actor.id) }),
  complete: ({ actor, now }) => complete(app, actor.id, now),
}))
