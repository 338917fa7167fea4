import { managed } from '#contract/managed'
import { feature } from '#kernel/feature'
import { refreshAccount, removeAccount, revokeAccount } from './accounts/service.ts'
import {
  forgetAgent,
  forgetServer,
  forgetWorkspace,
  grant,
  grants,
  setDefault,
  showDefault,
  ungrant,
} from './grants/service.ts'
import { activeTriggers, connect, createTrigger, inventory, toolkits, tools, triggers } from './service.ts'
import { forgetSettings, removeSettings, setSettings, settings } from './settings/service.ts'

export default feature(
  managed,
  (app) => ({
    inventory: (call) => inventory(app, call),
    toolkits: (call) => toolkits(app, call),
    tools: (call) => tools(app, call),
    triggers: (call) => triggers(app, call),
    activeTriggers: (call) => activeTriggers(app, call),
    createTrigger: createTrigger(app),
    connect: connect(app),
    settings: (call) => settings(app, call),
    setSettings: setSettings(app),
    removeSettings: (call) => removeSettings(app, call),
    default: (call) => showDefault(app, call),
    setDefault: setDefault(app),
    grants: (call) => grants(app, call),
    grant: grant(app),
    ungrant: (call) => ungrant(app, call),
    revokeAccount: revokeAccount(app),
    refreshAccount: refreshAccount(app),
    removeAccount: removeAccount(app),
  }),
  {
    on: {
      'agent.deleted': { writes: ['integration.deleted', 'credential.deleted'], run: forgetAgent },
      'integration.deleted': { writes: ['credential.deleted'], run: forgetServer },
      'workspace.deleted': (app, happened) => {
        forgetSettings(app, happened)
        forgetWorkspace(app, happened)
      },
    },
  },
)
