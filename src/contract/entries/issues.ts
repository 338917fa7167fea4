import { Type } from 'typebox'
import { entry } from './define.ts'
import { named, quoted } from './quote.ts'

const Subject = { identifier: Type.String(), title: Type.String(), mission_type: Type.Literal('issue') }
const maybe = Type.Optional(Type.String())

/** What happened to an issue otherwise, as its activity names it. */
const deeds: Record<string, string> = {
  priority_changed: 'changed the priority of',
  description_changed: 'changed the description of',
  parent_changed: 'changed the parent of',
  changed: 'changed',
  deleted: 'deleted',
  relation_added: 'related',
  relation_removed: 'removed a relation of',
}

/** Issues. docs/rules/work.md, "Issues". */
export const issueFacts = {
  'mission.created': entry(
    'mission.created',
    'info',
    Type.Object(Subject),
    ({ identifier, title }, { person }) => `${person} opened issue ${identifier}: ${quoted(title)}`,
  ),
  'mission.assigned': entry(
    'mission.assigned',
    'info',
    Type.Object({
      ...Subject,
      assignee_type: Type.Union([Type.String(), Type.Null()]),
      assignee_id: Type.Union([Type.String(), Type.Null()]),
      assignee_name: Type.Union([Type.String(), Type.Null()]),
    }),
    ({ identifier, assignee_name }, { person }) =>
      assignee_name === null
        ? `${person} took issue ${identifier} from who had it`
        : `${person} gave issue ${identifier} to ${named(assignee_name)}`,
  ),
  'mission.status_change': entry(
    'mission.status_change',
    'info',
    Type.Object({ ...Subject, action: Type.String(), from: maybe, to: maybe }),
    ({ identifier, action, from, to }, { person }) =>
      action === 'status_changed'
        ? `${person} moved issue ${identifier} from ${from} to ${to}`
        : `${person} ${deeds[action] ?? 'changed'} issue ${identifier}`,
  ),
  'agent.mentioned': entry(
    'agent.mentioned',
    'info',
    Type.Object({ ...Subject, comment_id: Type.String(), agent_slug: Type.String() }),
    ({ identifier, title }, { person, agent }) =>
      `${person} mentioned ${agent} in a comment on issue ${identifier}: ${quoted(title)}`,
  ),
  'mission.comment': entry(
    'mission.comment',
    'info',
    Type.Object({ ...Subject, comment_id: Type.String(), body: Type.String() }),
    ({ identifier, body }, { person }) => `${person} commented on issue ${identifier}: ${quoted(body)}`,
  ),
}
