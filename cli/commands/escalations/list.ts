import { Args } from '@oclif/core'
import { escalationStatuses } from '#client/words'
import { ApiCommand } from '../../command.ts'
import { limited, oneOf, windowed, windowFlags } from '../../flags.ts'
import { crewId } from '../../lookup.ts'
import { type Escalation, escalationView } from '../../views/escalations.ts'

const statuses = [...escalationStatuses, 'all'] as const

export default class EscalationsList extends ApiCommand<typeof EscalationsList> {
  static override summary = 'List the questions that agents ask people, newest first'
  static override description =
    'Lists the open questions of all crews unless a crew or a status is given. --offset applies to each ' + 'crew.'
  static override result = { of: ['escalations.list'], members: ['crew'] }
  static override examples = [
    '$ <%= config.bin %> escalations list',
    '$ <%= config.bin %> escalations list web-team --status all',
    '$ <%= config.bin %> escalations list -q',
  ]
  static override args = { crew: Args.string({ description: 'slug or id of a crew (default: all crews)' }) }
  static override flags = {
    ...windowFlags,
    status: oneOf(statuses, { description: 'status to list (default pending)' }),
  }

  async run(): Promise<void> {
    const { status = 'PENDING' } = this.flags
    const found: Escalation[] = []
    for (const { id, slug } of await this.crews()) {
      const rows = await windowed(this.flags, (window) =>
        this.api.escalations.list({ crewId: id, query: { ...window, status } }),
      )
      found.push(...rows.map((row) => ({ ...row, crew: slug })))
    }
    found.sort((a, b) => (a.created_at < b.created_at ? 1 : -1))
    await this.out.list(limited(found, this.flags), escalationView)
  }

  private async crews(): Promise<{ id: string; slug: string }[]> {
    const { crew } = this.args
    if (crew !== undefined) return [{ id: await crewId(this.api, crew), slug: crew }]
    return windowed({ all: true }, (query) => this.api.crews.list({ query }))
  }
}
