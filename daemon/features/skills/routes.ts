import { skills } from '#contract/skills'
import { feature } from '#kernel/feature'
import { assign, assigned, forgetAgent, unassign } from './assignments/service.ts'
import { bulkImport } from './bulk/service.ts'
import { generate } from './generating/service.ts'
import { approve, proposed, reject } from './proposals/service.ts'
import { disown, importSkill, list, remove, show } from './service.ts'
import { dropUses } from './uses/service.ts'

export default feature(
  skills,
  (app) => ({
    list: (call) => list(app, call),
    show: (call) => show(app, call),
    import: importSkill(app),
    bulkImport: bulkImport(app),
    generate: generate(app),
    proposed: (call) => proposed(app, call),
    approve: (call) => approve(app, call),
    reject: (call) => reject(app, call),
    remove: (call) => remove(app, call),
    assigned: (call) => assigned(app, call),
    assign: (call) => assign(app, call),
    unassign: (call) => unassign(app, call),
  }),
  {
    on: {
      'agent.deleted': forgetAgent,
      'workspace.deleted': (app, it) => {
        disown(app, it)
        dropUses(app, it)
      },
    },
  },
)
