import { Args, Flags } from '@oclif/core'
import { locate } from '#client'
import { ApiCommand } from '../../../command.ts'
import { writeNew } from '../../../files.ts'
import { InputError } from '../../../input.ts'
import { agentId } from '../../../lookup.ts'

export default class AgentsAvatarShow extends ApiCommand<typeof AgentsAvatarShow> {
  static override summary = "Show or download an agent's picture"
  static override result = { members: ['agent_id', 'type', 'bytes'] }
  static override hiddenAliases = ['agents:avatar']
  static override examples = [
    '$ <%= config.bin %> agents avatar show ada',
    '$ <%= config.bin %> agents avatar show ada --to ada.svg',
  ]
  static override next = { not_found: 'muster agents avatar set AGENT FILE' }
  static override args = { agent: Args.string({ required: true, description: 'slug or id of the agent' }) }
  static override flags = {
    to: Flags.string({
      helpValue: 'FILE',
      description: 'write the picture to this file, or to standard output with -',
    }),
    force: Flags.boolean({ description: 'overwrite an existing file' }),
  }

  async run(): Promise<void> {
    const { to, force } = this.flags
    const agent = await agentId(this.api, this.args.agent)
    const { method, path } = locate('agents.avatar', { agentId: agent })
    const { headers, body } = await this.connection.request(method, path, { headers: { accept: 'image/svg+xml' } })
    if (to === undefined) {
      const picture = { agent_id: agent, type: String(headers['content-type']), bytes: body.length }
      return this.out.show(picture, {
        name: ({ type }) => type,
        columns: { Agent: ({ agent_id }) => agent_id, Type: ({ type }) => type, Bytes: ({ bytes }) => bytes },
      })
    }
    if (to === '-') {
      if (this.out.terminal) throw new InputError('A picture cannot be shown on a terminal.', 'name a file with --to')
      process.stdout.write(body)
      return
    }
    writeNew(to, body, { force })
    await this.out.done(`Wrote ${to}.`)
  }
}
