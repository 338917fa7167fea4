import { problem } from '#kernel/problem'
import { queries } from '../queries.ts'
import type { Members } from '../types.ts'
import { type Hands, type Kind, parsed, reference, without } from './kind.ts'

/** Work that is over. */
const over = ['DONE', 'FAILED', 'CANCELLED', 'DUPLICATE']

const assignee = (at: Hands, members: Members): Members => {
  if (members['assignee'] === undefined) return {}
  if (members['assignee'] === null) return { assignee_type: '' }
  return { assignee_type: 'agent', ...reference(at, members, { member: 'assignee', kind: 'Agent', as: 'assignee_id' }) }
}

/** A milestone is one of the issue's project, which stands in the document or is that of the issue as it is. */
function milestone(at: Hands, members: Members, before: Members): Members {
  const name = members['milestone'] as string | null | undefined
  if (name === undefined || name === null) return name === null ? { milestone_id: null } : {}
  const project = members['project'] ?? before['project']
  if (!project) throw problem('invalid_field', { field: 'milestone', detail: 'Name the project of the milestone too' })
  return { milestone_id: at.id('Milestone', `${project as string}/${name}`, 'milestone') }
}

const elsewhere = ['crew', 'begins', 'assignee', 'project', 'milestone', 'parent', 'routine', 'labels']

function bodyOf(at: Hands, members: Members, before: Members): Members {
  const labels = members['labels'] as string[] | undefined
  return {
    ...without(members, ...elsewhere),
    ...assignee(at, members),
    ...reference(at, members, { member: 'project', kind: 'Project', as: 'project_id' }),
    ...milestone(at, members, before),
    ...reference(at, members, { member: 'parent', kind: 'Issue', as: 'parent_issue_id' }),
    ...reference(at, members, { member: 'routine', kind: 'Routine', as: 'routine_id' }),
    ...(labels && { labels: labels.map((name) => at.id('Label', name, 'labels')) }),
  }
}

/** Only issues that files made are those of files: what people and agents file in the work is theirs. */
export const issue: Kind = {
  stored: ({ db }, workspace) =>
    queries(db)
      .issues.all(workspace)
      .map((row) => ({
        id: row.id,
        name: row.slug!,
        settled: over.includes(row.status!),
        members: {
          title: row.title,
          description: row.description,
          crew: row.crew,
          begins: row.status === 'BACKLOG' ? null : 'TODO',
          priority: row.priority,
          assignee: row.assignee,
          project: row.project,
          milestone: row.milestone,
          parent: row.parent,
          due_date: row.due_date,
          estimate: row.estimate,
          routine: row.routine,
          routine_inputs: parsed(row.routine_inputs_json),
          labels: (JSON.parse(row.labels_json!) as string[]).sort(),
        },
      })),
  create(at, slug, members) {
    const crewId = at.id('Crew', String(members['crew']), 'crew')
    const id = at.call('issues.create', { crewId, body: bodyOf(at, members, {}) }).id!
    if (members['begins'] === 'TODO') at.call('issues.update', { crewId, identifier: id, body: { status: 'TODO' } })
    if (!at.isRehearsal) queries(at.app.db).keepIssue.run(at.workspace, slug, id)
    return id
  },
  change(at, { id, members: before }, members) {
    if (members['crew'] !== undefined)
      throw problem('invalid_field', {
        field: 'crew',
        detail: 'An issue stays with its crew: give the new one another slug',
      })
    const crewId = at.id('Crew', String(before['crew']), 'crew')
    at.call('issues.update', { crewId, identifier: id, body: bodyOf(at, members, before) })
  },
  remove(at, { id, members }) {
    const call = { crewId: at.id('Crew', String(members['crew']), 'crew'), identifier: id }
    if (members['begins'] === 'TODO') at.call('issues.update', { ...call, body: { status: 'CANCELLED' } })
    at.call('issues.remove', call)
  },
}
