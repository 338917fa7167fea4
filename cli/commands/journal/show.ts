import { Args } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { entryView } from '../../views/journal.ts'

export default class JournalShow extends ApiCommand<typeof JournalShow> {
  static override summary = 'Show one journal entry'
  static override examples = [
    '$ <%= config.bin %> journal show ENTRY',
    '$ <%= config.bin %> journal show ENTRY --jq .payload',
  ]
  static override args = { entry: Args.string({ required: true, description: 'id of the entry' }) }

  async run(): Promise<void> {
    await this.out.show(await this.api.journal.show({ entryId: this.args.entry }), entryView)
  }
}
