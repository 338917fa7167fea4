import { Args } from '@oclif/core'
import { portFilters } from '#client/words'
import { ApiCommand } from '../../command.ts'
import { oneOf, windowed, windowFlags } from '../../flags.ts'
import { crewId } from '../../lookup.ts'
import { portView } from '../../views/ports.ts'

export default class PortsList extends ApiCommand<typeof PortsList> {
  static override summary = "List the ports that a crew's agents have exposed, newest first"
  static override description =
    'An exposed port is open to whoever knows its URL. Only the agent that asked for it was told the URL, once; ' +
    'no list contains it.'
  static override examples = [
    '$ <%= config.bin %> ports list web-team',
    '$ <%= config.bin %> ports list web-team --status all --json=id,status,expires_at',
  ]
  static override hiddenAliases = ['expose:list']
  static override args = { crew: Args.string({ required: true, description: 'slug or id of the crew' }) }
  static override flags = {
    ...windowFlags,
    status: oneOf(portFilters, { description: 'status to list (default active)' }),
  }

  async run(): Promise<void> {
    const { status } = this.flags
    const id = await crewId(this.api, this.args.crew)
    const rows = await windowed(this.flags, (window) =>
      this.api.ports.list({ crewId: id, query: { ...window, ...(status && { status }) } }),
    )
    await this.out.list(rows, portView)
  }
}
