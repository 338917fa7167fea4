import { Args, Flags } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { given } from '../../flags.ts'
import { coloured } from '../../memory/coloured.ts'
import { memoryPath, pathHelp } from '../../memory/path.ts'
import { viewOf } from '../../output/any-view.ts'

export default class MemoryDiff extends ApiCommand<typeof MemoryDiff> {
  static override summary = 'Compare two versions of a memory file'
  static override examples = [
    '$ <%= config.bin %> memory diff ada',
    '$ <%= config.bin %> memory diff ada --from 4f1c9a7be2d0',
  ]
  static override args = { path: Args.string({ required: true, description: pathHelp }) }
  static override flags = {
    from: Flags.string({ helpValue: 'HASH', description: 'the earlier version; the one before unless given' }),
    to: Flags.string({ helpValue: 'HASH', description: 'the later version; what stands there now unless given' }),
  }

  async run(): Promise<void> {
    const { from, to } = this.flags
    const found = await this.api.memory.diff({ query: given({ path: memoryPath(this.args.path), from, to }) })
    if (this.out.wanted.format !== 'auto') return this.out.show(found, viewOf([found]))
    if (found.identical) return this.out.note('Both versions are the same.')
    this.out.write(coloured(found.unified_diff, this.out.paint))
  }
}
