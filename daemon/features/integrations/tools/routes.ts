import { integrationTools } from '#contract/integration-tools'
import { feature } from '#kernel/feature'
import { decideTools, decideToolsInCrew } from './deciding.ts'
import { readToolLists } from './jobs.ts'
import { refreshTools, refreshToolsInCrew } from './refreshing.ts'
import { setTool, setToolInCrew, tools, toolsInCrew } from './service.ts'

export default feature(
  integrationTools,
  (app) => ({
    tools: (call) => tools(app, call),
    toolsInCrew: (call) => toolsInCrew(app, call),
    setTool: (call) => setTool(app, call),
    setToolInCrew: (call) => setToolInCrew(app, call),
    refreshTools: refreshTools(app),
    refreshToolsInCrew: refreshToolsInCrew(app),
    decideTools: (call) => decideTools(app, call),
    decideToolsInCrew: (call) => decideToolsInCrew(app, call),
  }),
  { jobs: [readToolLists] },
)
