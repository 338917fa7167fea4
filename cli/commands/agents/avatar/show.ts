import { Args, Flags } from '@oclif/core'
import { locate } from '#client'
import { ApiCommand } from '../../../command.ts'
import { writeNew } from '../../../files.ts'
import { agentId } from '../../../lookup.ts'

export default class AgentsAvatarShow extends ApiCommand<typeof AgentsAvatarShow> {
  static override summary = 'Print or fetch the picture that is kept of an agent'
  static override hiddenAliases = ['agents:avatar']
  static override examples = [
    '$ <%= config.bin %> agents avatar show ada',
    '$ <%= config.bin %> agents avatar show ada --to ada.svg',
  ]
  static override next = { not_found: 'muster agents avatar set AGENT FILE keeps one' }
  static override args = { agent: Args.string({ required: true, description: 'slug or id of the agent' }) }
  static override flags = {
    to: Flags.string({ helpValue: 'FILE', description: 'write the picture there' }),
    force: Flags.boolean({ description: 'replace a file that is there' }),
  }

  async run(): Promise<void> {
    const { to, force } = this.flags
    const { method, path } = locate('agents.avatar', { agentId: await agentId(this.api, this.args.agent) })
    const { body } = await this.connection.request(method, path, { headers: { accept: 'image/svg+xml' } })
    if (to === undefined) return void process.stdout.write(body)
    writeNew(to, body, { force })
    await this.out.done(`Wrote ${to}.`)
  }
}
