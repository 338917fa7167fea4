import { Args, Flags } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { answersGiven, formOf } from '../../forms/forms.ts'
import { preview } from '../../forms/preview.ts'
import { machine } from '../../output/format.ts'

export default class AgentsAskPreview extends ApiCommand<typeof AgentsAskPreview> {
  static override summary = "Show the message that answers to an agent's form make"
  static override description =
    'Checks the answers as sending does, and prints the message. Nothing is sent. Files are named by the path of an ' +
    'upload, or by the bare name of one in the chat.'
  static override examples = [
    '$ <%= config.bin %> agents ask-preview ada expense --field amount=12.50 --field what=Paper',
    '$ <%= config.bin %> agents ask-preview ada expense --field amount=12.50 --json=rendered_text',
  ]
  static override next = { not_found: 'muster agents show AGENT' }
  static override args = {
    agent: Args.string({ required: true, description: 'slug or id of the agent' }),
    form: Args.string({ required: true, description: 'form of the agent' }),
  }
  static override flags = {
    field: Flags.string({
      aliases: ['var'],
      multiple: true,
      helpValue: 'NAME=VALUE',
      description: 'answer to a field; repeat it for several, also of one field',
    }),
    attachment: Flags.string({
      multiple: true,
      helpValue: 'PATH',
      description: 'path of an upload that belongs to no field',
    }),
    chat: Flags.string({ helpValue: 'ID', description: 'chat whose uploads are given by their bare name' }),
  }

  async run(): Promise<void> {
    const { agent, form } = this.args
    const of = await formOf(this.api, agent, form)
    const values = answersGiven(of.form, this.flags.field)
    const made = await preview(this.api, of, {
      values,
      attachments: this.flags.attachment ?? [],
      chatId: this.flags.chat,
    })
    if (made.truncated.length) this.out.note(`Cut off at 2000 characters: ${made.truncated.join(', ')}.`, 'yellow')
    if (machine(this.out.wanted)) return this.out.value(made)
    this.out.text(`${made.rendered_text}\n`)
  }
}
