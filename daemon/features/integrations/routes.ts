import { integrations } from '#contract/integrations'
import { feature } from '#kernel/feature'
import { bind, bound, forgetAgent, forgetCredential, rebind, unbind } from './bindings/service.ts'
import { recheckConnections } from './connections/service.ts'
import { endPrograms } from './programs/service.ts'
import { resolved } from './resolved/service.ts'
import {
  create,
  createInCrew,
  crews,
  forgetCrew,
  forgetWorkspace,
  list,
  ofCrew,
  remove,
  removeInCrew,
  show,
  update,
  updateInCrew,
} from './service.ts'
import { test, testInCrew } from './testing/service.ts'

export default feature(
  integrations,
  (app) => ({
    list: (call) => list(app, call),
    show: (call) => show(app, call),
    create: (call) => create(app, call),
    update: (call) => update(app, call),
    remove: (call) => remove(app, call),
    test: (call) => test(app, call),
    testInCrew: (call) => testInCrew(app, call),
    crews: (call) => crews(app, call),
    ofCrew: (call) => ofCrew(app, call),
    createInCrew: (call) => createInCrew(app, call),
    updateInCrew: (call) => updateInCrew(app, call),
    removeInCrew: (call) => removeInCrew(app, call),
    bound: (call) => bound(app, call),
    bind: (call) => bind(app, call),
    rebind: (call) => rebind(app, call),
    unbind: (call) => unbind(app, call),
    resolved: (call) => resolved(app, call),
  }),
  {
    on: {
      'agent.deleted': forgetAgent,
      'credential.deleted': forgetCredential,
      'credential.updated': recheckConnections,
      'crew.deleted': forgetCrew,
      'workspace.deleted': forgetWorkspace,
    },
    after: {
      'integration.updated': endPrograms,
      'integration.deleted': endPrograms,
    },
  },
)
