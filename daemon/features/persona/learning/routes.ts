import { agentLearning } from '#contract/agent-learning'
import { feature } from '#kernel/feature'
import { set, show } from './service.ts'

export default feature(agentLearning, (app) => ({
  learning: (call) => show(app, call),
  setLearning: (call) => set(app, call),
}))
