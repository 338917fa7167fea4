import { Flags } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { InputError } from '../../input.ts'
import { configView } from '../../views/memory.ts'

export default class MemorySetConfig extends ApiCommand<typeof MemorySetConfig> {
  static override summary = 'Set how memory is kept'
  static override description =
    'Versions that are older are deleted within an hour, but for those that stand somewhere now.'
  static override examples = ['$ <%= config.bin %> memory set-config --retention-days 90']
  static override flags = {
    'retention-days': Flags.integer({
      min: 1,
      max: 3650,
      helpValue: 'DAYS',
      description: 'days for which versions are kept',
    }),
  }

  async run(): Promise<void> {
    const days = this.flags['retention-days']
    if (days === undefined) throw new InputError('Say what is to be set.', 'repeat with --retention-days DAYS')
    const reply = await this.api.memory.setConfig({ body: { versions_retention_days: days } })
    await this.out.done(`Versions are kept for ${days} days.`, reply, configView)
  }
}
