import { Args } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { limited, windowed, windowFlags } from '../../flags.ts'
import { crewId } from '../../lookup.ts'
import { type Assignment, assignmentView } from '../../views/assignments.ts'

export default class AssignmentsList extends ApiCommand<typeof AssignmentsList> {
  static override summary = 'List the work that agents were given by other agents, newest first'
  static override description = 'Lists that of all crews unless a crew is given. --offset applies to each crew.'
  static override result = { of: ['assignments.list'], members: ['crew'] }
  static override examples = [
    '$ <%= config.bin %> assignments list web-team',
    '$ <%= config.bin %> assignments list --limit 10',
    '$ <%= config.bin %> assignments list web-team --json=id,state,task,assigned_to_slug',
  ]
  static override args = { crew: Args.string({ description: 'slug or id of a crew (default: all crews)' }) }
  static override flags = windowFlags

  async run(): Promise<void> {
    const found: Assignment[] = []
    for (const { id, slug } of await this.crews()) {
      const rows = await windowed(this.flags, (query) => this.api.assignments.list({ crewId: id, query }))
      found.push(...rows.map((row) => ({ ...row, crew: slug })))
    }
    found.sort((a, b) => Date.parse(b.created_at) - Date.parse(a.created_at))
    await this.out.list(limited(found, this.flags), assignmentView)
  }

  private async crews(): Promise<{ id: string; slug: string }[]> {
    const { crew } = this.args
    if (crew !== undefined) return [{ id: await crewId(this.api, crew), slug: crew }]
    return windowed({ all: true }, (query) => this.api.crews.list({ query }))
  }
}
