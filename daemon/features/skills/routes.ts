import { skills } from '#contract/skills'
import { feature } from '#kernel/feature'
import { disown, importSkill, list, remove, show } from './service.ts'

export default feature(
  skills,
  (app) => ({
    list: (call) => list(app, call),
    show: (call) => show(app, call),
    import: importSkill(app),
    remove: (call) => remove(app, call),
  }),
  { on: { 'workspace.deleted': disown } },
)
