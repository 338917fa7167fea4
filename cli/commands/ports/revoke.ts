import { Args, Flags } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { given, yesFlag } from '../../flags.ts'
import { crewId } from '../../lookup.ts'

export default class PortsRevoke extends ApiCommand<typeof PortsRevoke> {
  static override summary = 'Close a port that an agent has exposed'
  static override description =
    'The URL stops working with the next request; transfers in progress continue. `muster ports list` shows the ' +
    'ids.'
  static override examples = [
    '$ <%= config.bin %> ports revoke web-team PORT',
    '$ <%= config.bin %> ports revoke web-team PORT --reason "the demo is over" --yes',
  ]
  static override next = { exposure_ended: 'muster ports list CREW --status all' }
  static override hiddenAliases = ['expose:revoke']
  static override args = {
    crew: Args.string({ required: true, description: 'slug or id of the crew' }),
    port: Args.string({ required: true, description: 'id of the open port' }),
  }
  static override flags = {
    ...yesFlag,
    reason: Flags.string({ helpValue: 'TEXT', description: 'reason, recorded in the journal' }),
  }

  async run(): Promise<void> {
    const { crew, port } = this.args
    const { reason } = this.flags
    const id = await crewId(this.api, crew)
    await this.confirm(`Revoke port ${port} of ${crew}?`)
    await this.api.ports.revoke({ crewId: id, exposureId: port, body: given({ reason }) })
    await this.out.done(`Revoked port ${port} of ${crew}.`)
  }
}
