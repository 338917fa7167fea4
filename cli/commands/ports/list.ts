import { Args } from '@oclif/core'
import { portFilters } from '#client/words'
import { ApiCommand } from '../../command.ts'
import { oneOf, windowFlags, windowOf } from '../../flags.ts'
import { crewId } from '../../lookup.ts'
import { portView } from '../../views/ports.ts'

export default class PortsList extends ApiCommand<typeof PortsList> {
  static override summary = 'List the ports that agents of a crew have opened, newest first'
  static override description =
    'An open port has a URL that shows it to whoever knows the URL. The URL is told once, to the agent that ' +
    'asked for it, and is in no list.'
  static override examples = [
    '$ <%= config.bin %> ports list web-team',
    '$ <%= config.bin %> ports list web-team --status all --json=id,status,expires_at',
  ]
  static override hiddenAliases = ['expose:list']
  static override args = { crew: Args.string({ required: true, description: 'slug or id of the crew' }) }
  static override flags = {
    ...windowFlags,
    status: oneOf(portFilters, { description: 'which ones; active when absent' }),
  }

  async run(): Promise<void> {
    const { status } = this.flags
    const query = { ...windowOf(this.flags), ...(status && { status }) }
    await this.out.list(await this.api.ports.list({ crewId: await crewId(this.api, this.args.crew), query }), portView)
  }
}
