import { Args } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { yesFlag } from '../../flags.ts'
import { agentId } from '../../lookup.ts'

export default class PersonaReset extends ApiCommand<typeof PersonaReset> {
  static override summary = "Remove an agent's own persona"
  static override description = 'That of its crew counts again. The versions are kept.'
  static override examples = ['$ <%= config.bin %> persona reset ada --yes']
  static override args = { agent: Args.string({ required: true, description: 'slug or id of the agent' }) }
  static override flags = yesFlag

  async run(): Promise<void> {
    const { agent } = this.args
    const id = await agentId(this.api, agent)
    await this.confirm(`Remove the persona of ${agent}?`)
    await this.api.persona.reset({ agentId: id })
    await this.out.done(`Removed the persona of ${agent}.`)
  }
}
