import { agentSkills } from '#contract/agent-skills'
import { feature } from '#kernel/feature'
import { author, compose } from './service.ts'

export default feature(agentSkills, (app) => ({
  author: (call) => author(app, call),
  compose: compose(app),
}))
