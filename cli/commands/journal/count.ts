import { ApiCommand } from '../../command.ts'
import { filterFlags, filterQuery } from '../../journal/filter.ts'

export default class JournalCount extends ApiCommand<typeof JournalCount> {
  static override summary = 'Count journal entries'
  static override examples = ['$ <%= config.bin %> journal count --severity error --since 1d']
  static override flags = filterFlags

  async run(): Promise<void> {
    const query = await filterQuery(this.api, this.flags)
    const counted = await this.api.journal.count({ query })
    if (this.out.wanted.format === 'auto') this.out.text(`${counted.total}\n`)
    else await this.out.show(counted, { name: ({ total }) => String(total), columns: { Total: ({ total }) => total } })
  }
}
