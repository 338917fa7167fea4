import { Args } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { confirmFlags } from '../../flags.ts'
import { crewId } from '../../lookup.ts'

export default class EscalationsPurge extends ApiCommand<typeof EscalationsPurge> {
  static override summary = "Delete all questions of a crew's agents"
  static override description =
    'Withdraws open ones first and erases credentials that wait for a decision. The journal is kept.'
  static override examples = ['$ <%= config.bin %> escalations purge web-team']
  static override args = { crew: Args.string({ required: true, description: 'slug or id of the crew' }) }
  static override flags = confirmFlags

  async run(): Promise<void> {
    const id = await crewId(this.api, this.args.crew)
    await this.confirmName(`Delete every question of the agents of ${this.args.crew}?`, this.args.crew)
    const reply = await this.api.escalations.purge({ crewId: id })
    await this.out.done(`Deleted ${reply.deleted}.`, reply)
  }
}
