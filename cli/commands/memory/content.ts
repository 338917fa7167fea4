import { Args } from '@oclif/core'
import { ApiCommand } from '../../command.ts'

export default class MemoryContent extends ApiCommand<typeof MemoryContent> {
  static override summary = 'Print the text of any version'
  static override description = 'For ADMIN. `muster memory history` lists them.'
  static override examples = ['$ <%= config.bin %> memory content mv_c0mwr8me0abcdefghijklmno']
  static override next = { not_found: 'muster memory history' }
  static override args = { version: Args.string({ required: true, description: 'version, as in mv_…' }) }

  async run(): Promise<void> {
    this.out.text(await this.api.memory.content({ versionId: this.args.version }))
  }
}
