import { Args, Flags } from '@oclif/core'
import { priorities } from '#client/words'
import type { Priority } from '#contract/entries'
import { ApiCommand } from '../../command.ts'
import { given } from '../../flags.ts'

export default class JournalPriority extends ApiCommand<typeof JournalPriority> {
  static override summary = 'Set how long an entry is kept and how it is recalled'
  static override examples = ['$ <%= config.bin %> journal priority ENTRY pin --reason "Decision of the week"']
  static override args = {
    entry: Args.string({ required: true, description: 'id of the entry' }),
    priority: Args.string({ required: true, options: priorities, description: priorities.join(', ') }),
  }
  static override flags = { reason: Flags.string({ description: 'reason, recorded in the journal' }) }

  async run(): Promise<void> {
    const { entry, priority } = this.args
    const { reason } = this.flags
    const changed = await this.api.journal.priority({
      entryId: entry,
      body: given({ priority: priority as Priority, reason }),
    })
    await this.out.done(`${entry} was ${changed.previous} and is ${changed.priority} now.`, changed, {
      name: ({ id }) => id,
      columns: { ID: ({ id }) => id, PRIORITY: (it) => it.priority },
    })
  }
}
