import type { Static } from 'typebox'
import { fact } from '#contract/entries'
import type { PlanTemplate, plans } from '#contract/plans'
import type { App } from '#kernel/app'
import { actorOf } from '#kernel/dispatch'
import type { Actor, Call } from '#kernel/feature'
import {
  addTemplate,
  changeTemplate,
  dropTemplate,
  findTemplate,
  ownTemplate,
  type Sort,
  type Template,
  templates,
} from '../workflows/stored/service.ts'
import { builtins } from './builtins.ts'
import { planText } from './rules.ts'

type Shown = Static<typeof PlanTemplate>

const sort: Sort = { kind: 'plan', noun: 'step plan', builtins }

const present = ({ template_json, is_builtin, ...row }: Template): Shown => ({
  ...row,
  is_builtin: is_builtin === 1,
  template_json: JSON.parse(template_json) as Shown['template_json'],
})

/** A step plan of the workspace, or `not_found`. */
export const findPlan = (app: App, workspace: string, id: string): Shown =>
  present(findTemplate(app, sort, workspace, id))

export const list = async (app: App, { actor, query }: Call<typeof plans.list>): Promise<Shown[]> =>
  (await templates(app, sort, actor.workspace, query)).map(present)

export const show = (app: App, { actor, planId }: Call<typeof plans.show>): Shown =>
  findPlan(app, actor.workspace, planId)

export function create(app: App, { actor, body }: Call<typeof plans.create>): { id: string } {
  const template_json = planText(body.template_json, body.name.trim())
  const { id, name } = addTemplate(app, sort, actor.workspace, { ...body, template_json })
  app.journal(fact('step_plan.created', { entity_id: id, name }, by(actor)))
  return { id }
}

export function update(app: App, { actor, planId, body }: Call<typeof plans.update>): { id: string } {
  const before = ownTemplate(app, sort, actor.workspace, planId)
  const { template_json, ...members } = body
  const { id, name } = changeTemplate(app, sort, before, {
    ...members,
    ...(template_json && { template_json: planText(template_json, body.name ?? before.name) }),
  })
  app.journal(fact('step_plan.updated', { entity_id: id, name, metadata: { changed: Object.keys(body) } }, by(actor)))
  return { id }
}

export function remove(app: App, { actor, planId }: Call<typeof plans.remove>): undefined {
  const row = ownTemplate(app, sort, actor.workspace, planId)
  app.journal(fact('step_plan.deleted', { entity_id: row.id, name: row.name }, by(actor)))
  dropTemplate(app, row)
}

const by = (actor: Actor) => ({ workspace_id: actor.workspace, ...actorOf(actor) })
