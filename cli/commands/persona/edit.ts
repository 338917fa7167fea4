import { Args } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { agentId } from '../../lookup.ts'
import { contentFlag, textFor } from '../../persona/text.ts'

export default class PersonaEdit extends ApiCommand<typeof PersonaEdit> {
  static override summary = 'Write the persona of an agent'
  static override description =
    'Opens $VISUAL or $EDITOR with the text as it stands, unless --content gives one. At most 1500 bytes.'
  static override result = { of: ['persona.set'] }
  static override hiddenAliases = ['persona:set']
  static override examples = [
    '$ <%= config.bin %> persona edit ada',
    '$ <%= config.bin %> persona edit ada --content @PERSONA.md',
    '$ <%= config.bin %> persona edit ada --content "You review before you write."',
  ]
  static override next = { body_too_large: 'shorten the text' }
  static override args = { agent: Args.string({ required: true, description: 'slug or id of the agent' }) }
  static override flags = contentFlag

  async run(): Promise<void> {
    const id = await agentId(this.api, this.args.agent)
    const before = async () => (await this.api.persona.show({ agentId: id })).content
    const content = await textFor(this.flags.content, before)
    const reply = await this.api.persona.set({ agentId: id, body: { content } })
    await this.out.done(`Wrote the persona of ${this.args.agent}.`, reply)
  }
}
