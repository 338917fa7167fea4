import { agentLeads } from '#contract/agent-leads'
import { feature } from '#kernel/feature'
import { propose } from './service.ts'

export default feature(agentLeads, (app) => ({ propose: (call) => propose(app, call) }))
