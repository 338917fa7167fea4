import { chatSearch } from '#contract/chat-search'
import { feature } from '#kernel/feature'
import { openChatJobs } from './find.ts'
import { indexBacklog } from './jobs.ts'
import { searchChats } from './service.ts'

export default feature(
  chatSearch,
  (app) => {
    app.reads.provide(openChatJobs)
    return { search: (call) => searchChats(app, call) }
  },
  { jobs: [indexBacklog] },
)
