import { crewTemplates } from '#contract/crew-templates'
import { feature } from '#kernel/feature'
import { dropTemplates, findTemplate, removeTemplate, saveTemplate, templatesOf } from '../../crew-templates/service.ts'
import { deploy } from './service.ts'
import { suggest } from './suggest.ts'

export default feature(
  crewTemplates,
  (app) => ({
    list: ({ actor }) => templatesOf(app, actor.workspace),
    show: ({ actor, slug }) => findTemplate(app, actor.workspace, slug),
    save: (call) => saveTemplate(app, call),
    remove: (call) => removeTemplate(app, call),
    deploy: (call) => deploy(app, call),
    suggest: (call) => suggest(app, call),
  }),
  { on: { 'workspace.deleted': dropTemplates } },
)
