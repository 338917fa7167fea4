import { queries } from '../queries.ts'
import type { Members } from '../types.ts'
import { type Kind, reference, rest, without } from './kind.ts'

export const workspace: Kind = {
  stored: ({ db }, id) =>
    [queries(db).workspace.get(id)!].map(({ slug, ...row }) => ({ id, name: String(slug), members: rest(row) })),
  create(_, name) {
    throw new Error(`A workspace ${name} is never made by an apply`)
  },
  change: (at, { id }, body) => void at.call('workspaces.update', { workspaceId: id, body }),
}

export const label: Kind = {
  stored: ({ db }, id) =>
    queries(db)
      .labels.all(id)
      .map((row) => ({ id: row.id, name: String(row['name']), members: rest(row) })),
  create: (at, _, body) => at.call('labels.create', { body }).id!,
  change: (at, { id }, body) => void at.call('labels.update', { labelId: id, body }),
  remove: (at, { id }) => void at.call('labels.remove', { labelId: id }),
}

export const project: Kind = {
  stored: ({ db }, id) =>
    queries(db)
      .projects.all(id)
      .map((row) => ({ id: row.id, name: String(row['name']), members: without(rest(row), 'slug') })),
  create: (at, _, body) => at.call('projects.create', { body }).id!,
  change: (at, { id }, body) => void at.call('projects.update', { projectId: id, body }),
  remove: (at, { id }) => void at.call('projects.remove', { projectId: id }),
}

export const milestone: Kind = {
  stored: ({ db }, id) =>
    queries(db)
      .milestones.all(id)
      .map((row) => ({ id: row.id, name: `${row['project']}/${row['name']}`, members: rest(row) })),
  create: (at, _, members) =>
    at.call('milestones.create', {
      projectId: at.id('Project', members['project'] as string, 'project'),
      body: without(members, 'project'),
    }).id!,
  change: (at, { id }, members) =>
    void at.call('milestones.update', { milestoneId: id, body: without(members, 'project') }),
  remove: (at, { id }) => void at.call('milestones.remove', { milestoneId: id }),
}

const stagesAsText = ({ stages, ...members }: Members): Members => ({
  ...members,
  ...(stages !== undefined && {
    template_json: JSON.stringify((stages as object[]).map((it, index) => ({ position: index + 1, ...it }))),
  }),
})

export const workflowTemplate: Kind = {
  stored: ({ db }, id) =>
    queries(db)
      .workflows.all(id)
      .map(({ template_json, ...row }) => ({
        id: row.id,
        name: String(row['name']),
        members: { ...rest(row), stages: JSON.parse(String(template_json)) },
      })),
  create: (at, _, members) => at.call('workflows.create', { body: stagesAsText(members) }).id!,
  change: (at, { id }, members) => void at.call('workflows.update', { workflowId: id, body: stagesAsText(members) }),
  remove: (at, { id }) => void at.call('workflows.remove', { workflowId: id }),
}

const ruleBody = (at: Parameters<Kind['create']>[0], members: Members): Members => ({
  ...without(members, 'crew', 'assignee', 'project'),
  ...reference(at, members, { member: 'crew', kind: 'Crew', as: 'crew_id' }),
  ...reference(at, members, { member: 'assignee', kind: 'Agent', as: 'assignee_id' }),
  ...reference(at, members, { member: 'project', kind: 'Project', as: 'project_id' }),
})

export const triageRule: Kind = {
  stored: ({ db }, id) =>
    queries(db)
      .triageRules.all(id)
      .map((row) => ({
        id: row.id,
        name: String(row['name']),
        members: { ...rest(row), enabled: row['enabled'] === 1 },
      })),
  create(at, _, members) {
    const { position, enabled, ...body } = ruleBody(at, members)
    const id = at.call('triage.create', { body }).id!
    const later = { ...(position !== undefined && { position }), ...(enabled !== undefined && { enabled }) }
    if (Object.keys(later).length) at.call('triage.update', { ruleId: id, body: later })
    return id
  },
  change: (at, { id }, members) => void at.call('triage.update', { ruleId: id, body: ruleBody(at, members) }),
  remove: (at, { id }) => void at.call('triage.remove', { ruleId: id }),
}
