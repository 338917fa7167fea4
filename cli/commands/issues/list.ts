import { Flags } from '@oclif/core'
import { issueSorts, issueStatuses, workPriorities } from '#client/words'
import { workerCalled } from '../../bodies/work.ts'
import { ApiCommand } from '../../command.ts'
import { given, oneOf, windowed, windowFlags } from '../../flags.ts'
import { crewId, projectId } from '../../lookup.ts'
import { issueView } from '../../views/issues.ts'

export default class IssuesList extends ApiCommand<typeof IssuesList> {
  static override summary = 'List issues, newest first'
  static override examples = [
    '$ <%= config.bin %> issues',
    '$ <%= config.bin %> issues list --crew web-team --status TODO,IN_PROGRESS',
    '$ <%= config.bin %> issues list --assignee ada --sort priority',
    '$ <%= config.bin %> issues list --search login --json=identifier,title',
  ]
  static override flags = {
    crew: Flags.string({ description: 'only issues of this crew' }),
    status: Flags.string({
      helpValue: 'LIST',
      description: `only issues with one of these: ${issueStatuses.join(', ')}`,
    }),
    priority: Flags.string({
      helpValue: 'LIST',
      description: `only issues with one of these: ${workPriorities.join(', ')}`,
    }),
    project: Flags.string({ description: 'only issues of this project' }),
    assignee: Flags.string({ helpValue: 'WHO', description: 'only issues of this agent or member (email)' }),
    label: Flags.string({ description: 'only issues with this label' }),
    search: Flags.string({ helpValue: 'TEXT', description: 'only issues with this text in their titles' }),
    sort: oneOf(issueSorts, { description: 'order; newest first unless given' }),
    ...windowFlags,
  }

  async run(): Promise<void> {
    const { crew, status, priority, project, assignee, label, search, sort } = this.flags
    const chosen = given({
      crew_id: crew && (await crewId(this.api, crew)),
      status: status?.toUpperCase(),
      priority: priority?.toLowerCase(),
      project_id: project && (await projectId(this.api, project)),
      assignee_id: assignee && (await workerCalled(this.api, this.session, assignee)).id,
      label,
      search,
      sort,
    })
    const page = (window: object) => this.api.issues.list({ query: { ...chosen, ...window } })
    await this.out.list(await windowed(this.flags, page, 100), issueView)
  }
}
