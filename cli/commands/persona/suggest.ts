import { Args, Flags } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { given } from '../../flags.ts'
import { agentId } from '../../lookup.ts'
import { contentFlag, textFor } from '../../persona/text.ts'

export default class PersonaSuggest extends ApiCommand<typeof PersonaSuggest> {
  static override summary = 'Suggest a persona for an agent'
  static override description =
    'As the agent does by its own tool: people decide in the inbox, unless its crew is at the level full and the ' +
    'agent may change itself. Opens $VISUAL or $EDITOR unless --content gives the text.'
  static override examples = [
    '$ <%= config.bin %> persona suggest ada --content @PERSONA.md --rationale "reviews found too little"',
  ]
  static override next = { body_too_large: 'shorten the text', rate_limited: 'muster inbox list' }
  static override args = { agent: Args.string({ required: true, description: 'slug or id of the agent' }) }
  static override flags = {
    ...contentFlag,
    rationale: Flags.string({ helpValue: 'TEXT', description: 'reason, by which people decide' }),
  }

  async run(): Promise<void> {
    const id = await agentId(this.api, this.args.agent)
    const before = async () => (await this.api.persona.show({ agentId: id })).content
    const content = await textFor(this.flags.content, before)
    const { rationale } = this.flags
    const reply = await this.api.persona.suggest({ agentId: id, body: given({ content, rationale }) })
    const what = reply.applied ? 'The agent has it now.' : `It waits for a decision: ${reply.audit_id}.`
    await this.out.done(`Suggested. ${what}`, reply, {
      name: ({ audit_id, agent_id }) => audit_id ?? agent_id,
      columns: {
        Decision: ({ decision }) => decision.replace('_', ' '),
        Suggestion: ({ audit_id }) => audit_id,
        Reason: ({ reason }) => reason,
      },
    })
  }
}
