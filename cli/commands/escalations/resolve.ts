import { Args, Flags } from '@oclif/core'
import { escalationActions } from '#client/words'
import { ApiCommand } from '../../command.ts'
import { bareId } from '../../decisions/ids.ts'
import { given, oneOf } from '../../flags.ts'
import { InputError } from '../../input.ts'

const past = { approve: 'Approved', reject: 'Rejected', redirect: 'Redirected' }

export default class EscalationsResolve extends ApiCommand<typeof EscalationsResolve> {
  static override summary = "Answer an agent's question"
  static override description =
    'The agent gets the answer if it is still waiting (it waits five minutes); otherwise it has continued ' +
    'without one, and the answer is only recorded.'
  static override examples = [
    '$ <%= config.bin %> escalations resolve ESCALATION --resolution "Yes, delete it"',
    '$ <%= config.bin %> escalations resolve ESCALATION --action reject --resolution "Not on a Friday"',
    '$ <%= config.bin %> escalations resolve ESCALATION --redirect-to bob --resolution "Bob knows"',
  ]
  static override next = {
    escalation_settled: 'muster escalations show ESCALATION',
    not_found: 'muster escalations list',
  }
  static override args = {
    escalation: Args.string({ required: true, description: 'id of the question, or of its inbox item' }),
  }
  static override flags = {
    resolution: Flags.string({ char: 'm', helpValue: 'TEXT', description: 'answer for the agent' }),
    action: oneOf(escalationActions, { description: 'action to take (default approve)' }),
    'redirect-to': Flags.string({
      helpValue: 'AGENT',
      description: 'slug of the agent in the crew to ask instead',
    }),
  }

  async run(): Promise<void> {
    const { resolution, 'redirect-to': to } = this.flags
    const action = this.flags.action ?? (to ? 'redirect' : 'approve')
    if (!resolution?.trim()) throw new InputError('The answer is missing.', 'repeat with --resolution TEXT')
    const reply = await this.api.escalations.resolve({
      escalationId: bareId(this.args.escalation),
      body: given({ resolution, action, redirect_to: to || undefined }),
    })
    await this.out.done(`${past[action]}. ${reply.note ?? 'The agent goes on.'}`, reply)
  }
}
