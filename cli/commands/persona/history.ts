import { Args } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { limited, listFlags, onePage } from '../../flags.ts'
import { agentId } from '../../lookup.ts'
import { versionView } from '../../views/personas.ts'

export default class PersonaHistory extends ApiCommand<typeof PersonaHistory> {
  static override summary = 'List the versions of the persona of an agent, newest first'
  static override description = 'The server gives the newest 100 at most.'
  static override result = { of: ['persona.history'] }
  static override examples = [
    '$ <%= config.bin %> persona history ada',
    '$ <%= config.bin %> persona history ada --all -o wide',
  ]
  static override args = { agent: Args.string({ required: true, description: 'slug or id of the agent' }) }
  static override flags = listFlags

  async run(): Promise<void> {
    const { entries } = await this.api.persona.history({
      agentId: await agentId(this.api, this.args.agent),
      query: onePage(this.flags, 100),
    })
    await this.out.list(limited(entries, this.flags), versionView)
  }
}
