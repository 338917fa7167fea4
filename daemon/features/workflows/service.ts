import type { Static } from 'typebox'
import { fact } from '#contract/entries'
import type { WorkflowTemplate, workflows } from '#contract/workflows'
import type { App } from '#kernel/app'
import { actorOf } from '#kernel/dispatch'
import type { Call } from '#kernel/feature'
import { builtins } from './builtins.ts'
import type { Row } from './queries.ts'
import { stagesOf } from './rules.ts'
import {
  addTemplate,
  changeTemplate,
  dropTemplate,
  findTemplate,
  ownTemplate,
  type Sort,
  templates,
} from './stored/service.ts'

type Shown = Static<typeof WorkflowTemplate>

const sort: Sort = { kind: 'workflow', noun: 'workflow template', builtins }

const present = ({ workspace_id: _, is_builtin, ...row }: Row): Shown => ({ ...row, is_builtin: is_builtin === 1 })

export const list = async (app: App, { actor, query }: Call<typeof workflows.list>): Promise<Shown[]> =>
  (await templates(app, sort, actor.workspace, query)).map(present)

export const show = (app: App, { actor, workflowId }: Call<typeof workflows.show>): Shown =>
  present(findTemplate(app, sort, actor.workspace, workflowId))

export function create(app: App, { actor, body }: Call<typeof workflows.create>): Shown {
  const template_json = encoded(body.template_json)
  const row = addTemplate(app, sort, actor.workspace, { ...body, template_json })
  tell(app, actor.workspace, 'created', row.id)
  return present(row)
}

export function update(app: App, { actor, workflowId, body }: Call<typeof workflows.update>): Shown {
  const before = ownTemplate(app, sort, actor.workspace, workflowId)
  const { template_json } = body
  const row = changeTemplate(app, sort, before, {
    ...body,
    ...(template_json && { template_json: encoded(template_json) }),
  })
  tell(app, actor.workspace, 'updated', row.id)
  return present(row)
}

export function remove(app: App, { actor, workflowId }: Call<typeof workflows.remove>): undefined {
  const row = ownTemplate(app, sort, actor.workspace, workflowId)
  const about = { workspace_id: actor.workspace, ...actorOf(actor) }
  app.journal(fact('workflow_template.deleted', { entity_id: row.id, name: row.name }, about))
  dropTemplate(app, row)
  tell(app, actor.workspace, 'deleted', row.id)
}

/** The stages of a text, checked and written anew. */
const encoded = (text: string) => JSON.stringify(stagesOf(text))

const tell = (app: App, workspace: string, what: string, id: string): void =>
  app.broadcast({ channel: `workspace:${workspace}`, type: `workflow_template.${what}`, payload: { id } })
