import { Args, Flags } from '@oclif/core'
import type { Delivery } from '#contract/frames'
import { deliveryAfter } from '../chat/delivery.ts'
import { steerOnce } from '../chat/send-once.ts'
import { ApiCommand } from '../command.ts'
import { InputError, stdinText } from '../input.ts'

type Told = Omit<Awaited<ReturnType<typeof steerOnce>>, 'delivery'> & { delivery: Delivery }

const tooLate = (begin: boolean): string =>
  `Queued: the turn ended first, and the agent ${begin ? 'has another one for it' : 'reads it with its next one'}.`

export default class Steer extends ApiCommand<typeof Steer> {
  static override summary = 'Tell an agent at work something'
  static override description =
    'The message is kept in the chat. An agent at work is told after its current step, if its client can be ' +
    '(`muster adapters` says so) and takes another step in this turn; otherwise it reads the message with its next ' +
    'turn, and starts none for it unless you say --begin. With --wait the command ends once it is known which of both.'
  static override hiddenAliases = ['chats:steer']
  static override examples = [
    '$ <%= config.bin %> steer CHAT "Use SQLite, not a file"',
    '$ <%= config.bin %> steer CHAT "Then run the tests" --begin',
    '$ <%= config.bin %> steer CHAT "Stop after the first failure" --wait',
    '$ <%= config.bin %> steer CHAT - < notes.md',
  ]
  static override args = {
    chat: Args.string({ required: true, description: 'id of the chat' }),
    text: Args.string({ required: true, description: 'message, or - to read it from standard input' }),
  }

  static override flags = {
    begin: Flags.boolean({
      description: 'have a turn for it unless it is told in this one: now, or when the one that goes on has ended',
    }),
    wait: Flags.boolean({ description: 'wait until the agent is told, or its turn has ended' }),
  }

  async run(): Promise<void> {
    const text = this.args.text === '-' ? await stdinText() : this.args.text
    if (!text.trim()) throw new InputError('The message is empty.')
    const sent = await steerOnce(this.api, this.args.chat, text, this.flags.begin)
    const place = { chatId: this.args.chat, messageId: sent.message_id }
    const waits = this.flags.wait && sent.delivery === 'pending'
    const delivery = waits ? await deliveryAfter(this.api, this.connection, place) : sent.delivery
    const told = { ...sent, delivery }
    const late = waits && delivery === 'queued'
    await this.out.done(late ? tooLate(this.flags.begin) : this.said(told), told, {
      name: ({ message_id }) => message_id,
      columns: {
        MESSAGE: (it) => it.message_id,
        'IN-FLIGHT': (it) => (it.in_flight ? 'yes' : 'no'),
        DELIVERY: (it) => it.delivery,
      },
    })
  }

  private said({ in_flight, run_id, delivery }: Told): string {
    if (run_id) return `No run went on. Run ${run_id} has started for it.`
    if (delivery === 'delivered') return 'Delivered: the agent has it while it works.'
    if (delivery === 'pending') return 'Waiting: the agent reads it after its current step, or with its next turn.'
    if (in_flight && this.flags.begin) return 'Queued: the agent is at work, and has a turn for it afterwards.'
    if (in_flight) return 'Queued: the agent is at work and reads it with its next turn.'
    return 'No run goes on. The message is kept: the agent reads it with its next turn. --begin begins one.'
  }
}
