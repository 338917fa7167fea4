import { Args } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { agentId } from '../../lookup.ts'
import { personaView } from '../../views/personas.ts'

export default class PersonaView extends ApiCommand<typeof PersonaView> {
  static override summary = 'Show the persona of an agent'
  static override description =
    'Its own, else that of its crew, else what follows from its name and role. Each of its system prompts holds it.'
  static override result = { of: ['persona.show'] }
  static override hiddenAliases = ['persona:show']
  static override examples = [
    '$ <%= config.bin %> persona view ada',
    '$ <%= config.bin %> persona view ada --jq .content',
  ]
  static override args = { agent: Args.string({ required: true, description: 'slug or id of the agent' }) }

  async run(): Promise<void> {
    const shown = await this.api.persona.show({ agentId: await agentId(this.api, this.args.agent) })
    await this.out.show(shown, personaView)
  }
}
