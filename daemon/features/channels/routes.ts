import { channels } from '#contract/channels'
import { feature } from '#kernel/feature'
import { allow, deny, forgetAgent, list as listAgents, ofAgent } from './agents/service.ts'
import { create, drop, leave, list, listProviders, remove, setProvider, test, testDraft, update } from './service.ts'

export default feature(
  channels,
  (app) => ({
    list: (call) => list(app, call),
    create: (call) => create(app, call),
    update: (call) => update(app, call),
    remove: (call) => remove(app, call),
    test: (call) => test(app, call),
    testDraft: (call) => testDraft(app, call),
    agents: (call) => listAgents(app, call),
    allow: (call) => allow(app, call),
    deny: (call) => deny(app, call),
    ofAgent: (call) => ofAgent(app, call),
    providers: () => listProviders(app),
    setProvider: (call) => setProvider(app, call),
  }),
  { on: { 'agent.deleted': forgetAgent, 'workspace_member.deleted': leave, 'workspace.deleted': drop } },
)
