import { agentMemory } from '#contract/agent-memory'
import { feature, staged } from '#kernel/feature'
import { appendDaily, commitSearch, prepareSearch, read, searchTalks, write } from './service.ts'

export default feature(agentMemory, (app) => ({
  readMemory: (call) => read(app, call),
  writeMemory: (call) => write(app, call),
  appendMemory: (call) => appendDaily(app, call),
  searchMemory: staged(
    (call) => prepareSearch(app, call),
    (call, found) => commitSearch(app, call, found),
  ),
  searchConversations: (call) => searchTalks(app, call),
}))
