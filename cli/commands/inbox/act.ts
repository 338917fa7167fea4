import { Args, Flags } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { given } from '../../flags.ts'
import { InputError } from '../../input.ts'

const endings = { take_over: 'The run is ended; its work is yours.', dismiss: 'Dismissed: the run is ended.' }

export default class InboxAct extends ApiCommand<typeof InboxAct> {
  static override summary = 'Answer an agent that waits for a person, take over its work, or dismiss it'
  static override description =
    'An answer is added to the chat and resumes the run where it stopped to ask. The other two end the run.'
  static override examples = [
    '$ <%= config.bin %> inbox act ITEM --answer "Use the staging database"',
    '$ <%= config.bin %> inbox act ITEM --take-over',
    '$ <%= config.bin %> inbox act ITEM --dismiss',
  ]
  static override next = {
    not_actionable: 'muster inbox show ITEM',
    already_acted: 'muster inbox show ITEM',
    run_gone: 'muster inbox resolve ITEM',
    answer_undeliverable: 'muster inbox act ITEM --dismiss',
  }
  static override args = { item: Args.string({ required: true, description: 'id of the item' }) }
  static override flags = {
    answer: Flags.string({ description: 'answer for the agent', exclusive: ['take-over', 'dismiss'] }),
    'take-over': Flags.boolean({ description: 'end the run and do it yourself', exclusive: ['answer', 'dismiss'] }),
    dismiss: Flags.boolean({ description: 'end the run', exclusive: ['answer', 'take-over'] }),
  }

  async run(): Promise<void> {
    const { answer, dismiss } = this.flags
    const action = answer !== undefined ? 'answer' : this.flags['take-over'] ? 'take_over' : dismiss ? 'dismiss' : null
    if (!action)
      throw new InputError('Give --answer TEXT, --take-over or --dismiss.', `muster inbox show ${this.args.item}`)
    const reply = await this.api.inbox.act({
      itemId: this.args.item,
      body: given({ action, input: answer }),
    })
    const queued = reply.receipt.dispatch_state === 'queued' ? ', once there is a free place' : ''
    await this.out.done(action === 'answer' ? `Answered: the agent goes on${queued}.` : endings[action], reply)
  }
}
